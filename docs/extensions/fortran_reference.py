"""The directive `fortran-module` FILE: a section for each public name of a module, from the comments in its source.

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib

from docutils import nodes
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_id

import fortran_names

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "bindings" / "fortran"


class FortranModule(SphinxDirective):
    required_arguments = 1

    def run(self):
        file = FOLDER / self.arguments[0]
        self.env.note_dependency(str(file))
        gathered = fortran_names.gathered_names((FOLDER / "halocline.F90").read_text())
        offered = fortran_names.public_names(file.read_text()) & gathered or fortran_names.public_names(file.read_text())
        enums, out = {}, []
        for name in fortran_names.commented_names(file.read_text()):
            if name.kind == "enumerator" and name.name in gathered:
                enums.setdefault(name.comment, []).append(name.name)
            elif name.name in (gathered if file.name == "halocline_c.F90" else offered):
                out.append(self.section(name.name, name.declaration, name.comment))
        return out + [self.section(names[0], [", ".join(names)], comment) for comment, names in enums.items()]

    def section(self, title, declaration, comment):
        part = nodes.section(ids=[make_id(self.env, self.state.document, "", title)])
        part += nodes.title("", "", nodes.literal(title, title))
        text = "\n".join(declaration)
        part += nodes.literal_block(text, text, language="fortran", classes=["highlight"])
        part += nodes.paragraph("", comment)
        return part


def setup(app):
    app.add_directive("fortran-module", FortranModule)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
