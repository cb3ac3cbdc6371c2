"""halocline completion: scripts that complete commands and options in bash and zsh, made from the parser.

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


def add(subparsers: Subparsers) -> None:
    parser = add_command(subparsers, "completion", "prints the completion script of a shell", run,
                         'In bash: eval "$(halocline completion bash)"')
    parser.add_argument("shell", choices=("bash", "zsh"), help="the shell")


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


def script(shell: str) -> str:
    from halocline.command.main import make_parser

    commands = commands_of(make_parser())
    cases = "\n".join(f'  {name}) COMPREPLY=($(compgen -W "{" ".join(words_of(parser))}" -- "$current")) ;;'
                      for name, parser in commands.items())
    bash = BASH.format(cases=cases, commands=" ".join(commands))
    return bash if shell == "bash" else ZSH.format(bash=bash)


def run(options: argparse.Namespace) -> int:
    print(script(options.shell))
    return 0
