"""Which grammars of tree-sitter are used for which files, and what in them is a definition."""

from typing import NamedTuple


class Language(NamedTuple):
    """A grammar, and which of its nodes are definitions, as patterns of tree-sitter's queries."""

    module: str
    """Of the grammar, behind `tree_sitter_`."""
    definitions: str
    """Of functions, types and whatever else holds code."""
    values: str = ""
    """Of variables and fields, which are left out inside of functions."""
    function: str = "language"

    @property
    def package(self) -> str:
        """The module that has the grammar."""
        return f"tree_sitter_{self.module}"

    @property
    def query(self) -> str:
        """All of it as one query."""
        return f"[{self.definitions}] @d" + (f" [{self.values}] @v" if self.values else "")


def _kinds(names: str) -> str:
    return " ".join(f"({name})" for name in names.split())


_C = (
    _kinds("preproc_def preproc_function_def function_definition type_definition")
    + "(struct_specifier body: (_)) (union_specifier body: (_)) (enum_specifier body: (_))"
)
_SCRIPT = (
    _kinds("class_declaration function_declaration generator_function_declaration method_definition")
    + "(variable_declarator value: [(arrow_function) (function_expression) (class)])"
    + "(assignment_expression left: (member_expression) right: [(arrow_function) (function_expression) (class)])"
)
_TYPED = _SCRIPT + _kinds(
    "abstract_class_declaration interface_declaration type_alias_declaration enum_declaration internal_module module"
    " function_signature method_signature abstract_method_signature"
)
_TYPED_VALUES = _kinds("variable_declarator public_field_definition property_signature")

LANGUAGES = {
    "bash": Language("bash", _kinds("function_definition"), _kinds("variable_assignment")),
    "c": Language("c", _C, _kinds("declaration")),
    "cpp": Language(
        "cpp",
        _C + "(class_specifier body: (_))" + _kinds("namespace_definition alias_declaration concept_definition"),
        _kinds("declaration field_declaration"),
    ),
    "csharp": Language(
        "c_sharp",
        _kinds(
            "namespace_declaration file_scoped_namespace_declaration class_declaration struct_declaration"
            " interface_declaration enum_declaration record_declaration delegate_declaration method_declaration"
            " constructor_declaration local_function_statement"
        ),
        _kinds("property_declaration variable_declarator"),
    ),
    "go": Language(
        "go",
        _kinds("function_declaration method_declaration type_spec type_alias method_elem"),
        _kinds("const_spec var_spec"),
    ),
    "java": Language(
        "java",
        _kinds(
            "class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration"
            " method_declaration constructor_declaration"
        ),
        _kinds("variable_declarator"),
    ),
    "javascript": Language("javascript", _SCRIPT, _kinds("variable_declarator field_definition")),
    "kotlin": Language(
        "kotlin",
        _kinds("class_declaration object_declaration companion_object function_declaration type_alias"),
        _kinds("property_declaration"),
    ),
    "lua": Language(
        "lua",
        _kinds("function_declaration") + "(assignment_statement (expression_list value: (function_definition)))",
    ),
    "php": Language(
        "php",
        _kinds(
            "namespace_definition class_declaration interface_declaration trait_declaration enum_declaration"
            " function_definition method_declaration"
        ),
        _kinds("const_element property_element"),
        "language_php",
    ),
    "python": Language("python", _kinds("class_definition function_definition"), "(assignment left: (identifier))"),
    "ruby": Language("ruby", _kinds("module class method singleton_method"), "(assignment left: (constant))"),
    "rust": Language(
        "rust",
        _kinds(
            "function_item function_signature_item struct_item enum_item union_item trait_item impl_item mod_item"
            " macro_definition type_item"
        ),
        _kinds("const_item static_item"),
    ),
    "scala": Language(
        "scala",
        _kinds(
            "class_definition object_definition trait_definition enum_definition function_definition"
            " function_declaration type_definition given_definition"
        ),
        _kinds("val_definition var_definition"),
    ),
    "swift": Language(
        "swift",
        _kinds(
            "class_declaration protocol_declaration function_declaration protocol_function_declaration"
            " init_declaration typealias_declaration"
        ),
        _kinds("property_declaration"),
    ),
    "tsx": Language("typescript", _TYPED, _TYPED_VALUES, "language_tsx"),
    "typescript": Language("typescript", _TYPED, _TYPED_VALUES, "language_typescript"),
}

SUFFIXES = {
    **dict.fromkeys(("sh", "bash", "bats", "ksh", "zsh"), "bash"),
    "c": "c",
    **dict.fromkeys(("h", "cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "inl", "ipp", "cu", "ino"), "cpp"),
    "cs": "csharp",
    "go": "go",
    "java": "java",
    **dict.fromkeys(("js", "jsx", "mjs", "cjs"), "javascript"),
    **dict.fromkeys(("kt", "kts"), "kotlin"),
    "lua": "lua",
    **dict.fromkeys(("php", "phtml"), "php"),
    **dict.fromkeys(("py", "pyi", "pyw"), "python"),
    **dict.fromkeys(("rb", "rake", "gemspec"), "ruby"),
    "rs": "rust",
    **dict.fromkeys(("scala", "sc", "sbt"), "scala"),
    "swift": "swift",
    "tsx": "tsx",
    **dict.fromkeys(("ts", "mts", "cts"), "typescript"),
}


def language_of(name: str) -> str:
    """Return which language a file is in by its name; empty when there is no grammar for it."""
    return SUFFIXES.get(name.rpartition(".")[2].lower(), "")
