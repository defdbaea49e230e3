"""sObject types as describe, validation and SOQL see them, read off the tables."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from typing import Any

from . import models
from .fields import Spec
from .models.base import NOT_VIEWED, SYSTEM_FIELDS, SObject

_SOAP = {
    "id": "tns:ID", "reference": "tns:ID", "boolean": "xsd:boolean", "int": "xsd:int", "double": "xsd:double", "currency": "xsd:double",
    "percent": "xsd:double", "date": "xsd:date", "datetime": "xsd:dateTime", "address": "urn:address", "base64": "xsd:base64Binary",
}  # fmt: skip
NUMERIC = frozenset({"int", "double", "currency", "percent"})
TEXTUAL = frozenset({"string", "textarea", "phone", "email", "url", "picklist", "multipicklist", "combobox", "base64"})
DEFAULTED = ("OwnerId", "CurrencyIsoCode", "Probability", "ForecastCategoryName")
"""Fields that rules give a value where none is sent."""

ADDRESS_PARTS = ("street", "city", "state", "postalCode", "country")


@dataclass(frozen=True, slots=True)
class FieldInfo:
    """A field of one sObject type. `parts` are the columns of a compound address, which has none itself."""

    name: str
    spec: Spec
    parts: tuple[str, ...] = ()

    @property
    def type(self) -> str:
        return self.spec.type

    @property
    def filterable(self) -> bool:
        return not self.spec.long and not self.parts and self.type != "base64"

    @property
    def custom(self) -> bool:
        return self.name.endswith("__c")

    def describe(self) -> dict[str, Any]:
        """The field as `describe` tells it."""
        s = self.spec
        plain = self.filterable and self.type != "multipicklist"
        bytes_long = s.length * 3 if self.type in TEXTUAL else s.length
        return {
            "name": self.name, "label": s.label, "type": self.type, "soapType": _SOAP.get(self.type, "xsd:string"), "length": s.length,
            "byteLength": bytes_long, "precision": s.precision if self.type in NUMERIC and self.type != "int" else 0,
            "digits": s.precision if self.type == "int" else 0, "scale": s.scale, "custom": self.custom,
            "createable": s.createable and not self.parts, "updateable": s.updateable and not self.parts,
            "nillable": not (s.required or self.type in ("id",
            "boolean") or s.auto_number or (self.name in SYSTEM_FIELDS and self.name not in NOT_VIEWED)),
            "defaultedOnCreate": self.type in ("id",
            "boolean") or s.default is not None or s.auto_number or self.name in (*SYSTEM_FIELDS, *DEFAULTED),
            "defaultValue": s.default, "calculated": s.calculated, "autoNumber": s.auto_number, "unique": s.unique,
            "externalId": s.external,
            "idLookup": self.type == "id" or s.external or (s.name_field and s.createable) or self.type == "email",
            "nameField": s.name_field, "caseSensitive": False, "restrictedPicklist": s.restricted, "filterable": self.filterable,
            "sortable": plain, "groupable": plain and self.type not in ("currency", "percent", "double", "datetime"),
            "aggregatable": plain and self.type != "boolean", "permissionable": not s.required and self.name not in SYSTEM_FIELDS,
            "referenceTo": list(s.to), "relationshipName": s.relation or None, "cascadeDelete": s.cascade,
            "polymorphicForeignKey": len(s.to) > 1,
            "compoundFieldName": None, "inlineHelpText": None, "deprecatedAndHidden": False,
            "picklistValues": [
                {"active": True, "defaultValue": v == s.default, "label": v, "validFor": None, "value": v} for v in s.values
            ],
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Children:
    """The way from a parent to the records that refer to it."""

    name: str
    child: str
    field: str
    cascade: bool


@dataclass
class SObjectType:
    """An sObject type. Names are matched without case, as everywhere on the platform."""

    cls: type[SObject]
    name: str
    fields: dict[str, FieldInfo]
    children: dict[str, Children] = field(default_factory=dict[str, Children])
    referring: list[Children] = field(default_factory=list[Children])

    @property
    def table(self) -> str:
        return self.name.lower()

    @property
    def prefix(self) -> str:
        return self.cls.prefix

    def allows(self, operation: str) -> bool:
        return operation in self.cls.operations

    def field(self, name: str) -> FieldInfo | None:
        return self.fields.get(name.lower())

    def hint(self, name: str) -> str:
        """For a name that is no field's."""
        return similar(name, (f.name for f in self.fields.values()), "fields")

    @cached_property
    def columns(self) -> dict[str, FieldInfo]:
        """The fields that are columns, by their exact names."""
        return {f.name: f for f in self.fields.values() if not f.parts}

    @cached_property
    def relations(self) -> dict[str, FieldInfo]:
        """Parent relationships by name in lower case."""
        return {f.spec.relation.lower(): f for f in self.fields.values() if f.spec.relation}

    @cached_property
    def name_field(self) -> FieldInfo | None:
        return next((f for f in self.fields.values() if f.spec.name_field), None)

    @property
    def soft_deleted(self) -> bool:
        return "isdeleted" in self.fields

    def brief(self, base: str) -> dict[str, Any]:
        """The entry of the list of all sObjects. `base` is the path of the API's version."""
        return {
            "name": self.name, "label": self.cls.label, "labelPlural": self.cls.plural, "keyPrefix": self.prefix, "custom": False,
            "customSetting": False, "createable": self.allows("create"), "updateable": self.allows("update"),
            "deletable": self.allows("delete"), "undeletable": self.allows("delete"), "mergeable": self.name in ("Account", "Contact",
            "Lead"),
            "queryable": True, "retrieveable": True, "searchable": self.cls.searchable, "replicateable": self.soft_deleted,
            "layoutable": self.allows("create"), "triggerable": self.allows("create"), "activateable": False, "feedEnabled": False,
            "deprecatedAndHidden": False, "hasSubtypes": False, "isInterface": False, "isSubtype": False,
            "mruEnabled": "lastvieweddate" in self.fields,
            "urls": {
                "sobject": f"{base}/sobjects/{self.name}", "describe": f"{base}/sobjects/{self.name}/describe",
                "rowTemplate": f"{base}/sobjects/{self.name}/{{ID}}",
            },
        }  # fmt: skip

    def describe(self, base: str) -> dict[str, Any]:
        """All that `describe` tells."""
        return {
            **self.brief(base),
            "fields": [f.describe() for f in self.fields.values()],
            "childRelationships": [
                {
                    "childSObject": c.child, "field": c.field, "relationshipName": c.name or None, "cascadeDelete": c.cascade,
                    "restrictedDelete": False, "deprecatedAndHidden": False, "junctionIdListNames": [], "junctionReferenceTo": [],
                }
                for c in self.referring
            ],
            "recordTypeInfos": [record_type_info(f"{base}/sobjects/{self.name}")],
            "namedLayoutInfos": [], "supportedScopes": [{"label": f"All {self.cls.plural.lower()}", "name": "everything"},
            {"label": f"My {self.cls.plural.lower()}", "name": "mine"}],
        }  # fmt: skip


MASTER = "012000000000000AAA"


def record_type_info(
    path: str, record_id: str = MASTER, name: str = "Master", developer_name: str = "Master"
) -> dict[str, Any]:
    """A record type in a type's describe; by default the master one, which every type has. `path` is the type's own."""
    return {
        "active": True, "available": True, "defaultRecordTypeMapping": record_id == MASTER, "developerName": developer_name,
        "master": record_id == MASTER, "name": name, "recordTypeId": record_id,
        "urls": {"layout": f"{path}/describe/layouts/{record_id}"},
    }  # fmt: skip


def _fields(cls: type[SObject]) -> dict[str, FieldInfo]:
    found = dict[str, FieldInfo]()
    for name, info in cls.model_fields.items():
        extra = info.json_schema_extra
        spec = extra.get("sf") if isinstance(extra, dict) else None
        if isinstance(spec, Spec) and name not in cls.hidden:
            found[name] = FieldInfo(name, spec)
    own = [n for n in found if n not in SYSTEM_FIELDS]
    ordered = [
        "Id",
        *(["IsDeleted"] if "IsDeleted" in found else []),
        *own,
        *(n for n in SYSTEM_FIELDS[2:] if n in found),
    ]
    made = {n.lower(): found[n] for n in ordered}
    for prefix in ("Billing", "Shipping", "Mailing", "Other", ""):
        parts = tuple(prefix + part[0].upper() + part[1:] for part in ADDRESS_PARTS)
        if all(part.lower() in made for part in parts):
            name = f"{prefix}Address"
            made[name.lower()] = FieldInfo(
                name, Spec("address", f"{prefix} Address".strip(), createable=False, updateable=False), parts
            )
    return made


def _load() -> dict[str, SObjectType]:
    classes = [c for c in vars(models).values() if isinstance(c, type) and issubclass(c, SObject) and c is not SObject]
    types = {
        c.__name__.lower(): SObjectType(c, c.__name__, _fields(c)) for c in sorted(classes, key=lambda c: c.__name__)
    }
    for kind in types.values():
        for info in kind.fields.values():
            for target in info.spec.to:
                parent = types[target.lower()]
                link = Children(info.spec.children, kind.name, info.name, info.spec.cascade)
                parent.referring.append(link)
                if link.name:
                    parent.children[link.name.lower()] = link
    return types


TYPES = _load()
"""Every sObject type by its name in lower case."""

BY_PREFIX = {kind.prefix: kind for kind in TYPES.values() if kind.prefix != "01J"}
"""The type that an id's first three characters mean."""


def similar(name: str, known: Iterable[str], what: str) -> str:
    """A word for agents that spelt a name wrong: those that come near it."""
    spelt = {k.lower(): k for k in known}
    near = dict.fromkeys([*get_close_matches(name.lower(), spelt, 5, 0.6), *(k for k in spelt if name.lower() in k)])
    tool = "describe_global" if what == "types" else "describe_sobject"
    found = ", ".join(spelt[k] for k in list(near)[:6])
    return (f"Similar {what}: {found}. " if found else "") + f"{tool} lists all {what}."


def of_id(record_id: str) -> SObjectType | None:
    return BY_PREFIX.get(record_id[:3])
