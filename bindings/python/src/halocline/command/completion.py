"""halocline completion: scripts that complete commands and options in bash, zsh and fish, made from the parser.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse

from halocline.command.options import Subparsers, add_command

BASH = """# Completion of halocline in bash:  eval "$(halocline completion bash)"
_halocline() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} command=
  local word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case $word in -*) ;; *) command=$word; break ;; esac
  done
  case $command in
{cases}
  *) COMPREPLY=($(compgen -W "{commands} --help" -- "$current")) ;;
  esac
  [ ${{#COMPREPLY[@]}} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}}
complete -o filenames -F _halocline halocline"""

ZSH = """#compdef halocline
# Completion of halocline in zsh:  eval "$(halocline completion zsh)"
autoload -U +X bashcompinit && bashcompinit
{bash}"""

FISH = """# Completion of halocline in fish:  halocline completion fish | source"""


def add(subparsers: Subparsers) -> None:
    parser = add_command(subparsers, "completion", "prints the completion script of a shell", run,
                         'In bash: eval "$(halocline completion bash)"')
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell")


def commands_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def words_of(parser: argparse.ArgumentParser) -> list[str]:
    """Options, and the values that an argument is limited to."""
    words: list[str] = []
    for action in parser._actions:
        words += [option for option in action.option_strings if option.startswith("--")]
        words += [str(choice) for choice in action.choices or [] if not action.option_strings]
    return words


def quoted(text: str | None) -> str:
    """In single quotes, for fish."""
    return "'" + (text or "").replace("%%", "%").replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish_line(condition: str, action: argparse.Action) -> str:
    values = " ".join(str(choice) for choice in action.choices or [])
    names = "".join(f" -l {option[2:]}" if option.startswith("--") else f" -s {option[1:]}" for option in action.option_strings)
    wants = f" -x -a {quoted(values)}" if values else " -r" if names and action.nargs != 0 else ""
    return f"complete -c halocline -n '{condition}'{names}{wants} -d {quoted(action.help)}"


def fish_lines(main: argparse.ArgumentParser) -> list[str]:
    """A line per command, option and value, each with the line of --help."""
    outside = "__fish_use_subcommand"
    lines = [FISH, *(fish_line(outside, action) for action in main._actions if action.option_strings)]
    for actions in main._actions:
        if isinstance(actions, argparse._SubParsersAction):
            lines += [f"complete -c halocline -n '{outside}' -f -a {one.dest} -d {quoted(one.help)}" for one in actions._choices_actions]
    for name, parser in commands_of(main).items():
        lines += [fish_line(f"__fish_seen_subcommand_from {name}", action) for action in parser._actions
                  if action.option_strings or action.choices]
    return lines


def script(shell: str) -> str:
    from halocline.command.main import make_parser

    main = make_parser()
    if shell == "fish":
        return "\n".join(fish_lines(main))
    commands = commands_of(main)
    cases = "\n".join(f'  {name}) COMPREPLY=($(compgen -W "{" ".join(words_of(parser))}" -- "$current")) ;;'
                      for name, parser in commands.items())
    bash = BASH.format(cases=cases, commands=" ".join(commands))
    return bash if shell == "bash" else ZSH.format(bash=bash)


def run(options: argparse.Namespace) -> int:
    print(script(options.shell))
    return 0
