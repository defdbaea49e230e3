"""Users and what surrounds them. https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference"""

from typing import ClassVar

from .. import fields as f
from .base import CURRENCIES, NOT_VIEWED, READ_ONLY, SETUP, SObject


class User(SObject, table=True):
    """Somebody who works in the organisation. Users are deactivated, never deleted."""

    prefix = "005"
    label, plural = "User", "Users"
    searchable = True
    operations = frozenset({"create", "update"})
    hidden: ClassVar[frozenset[str]] = frozenset({"IsDeleted"})

    Username: str | None = f.text("Username", 80, required=True)
    LastName: str | None = f.text("Last Name", 80, required=True)
    FirstName: str | None = f.text("First Name", 40)
    Name: str | None = f.system(f.text, "Full Name", 121, calculated=True, name_field=True)
    CompanyName: str | None = f.text("Company Name", 80)
    Division: str | None = f.text("Division", 80)
    Department: str | None = f.text("Department", 80)
    Title: str | None = f.text("Title", 80)
    City: str | None = f.text("City", 40)
    Country: str | None = f.text("Country", 80)
    Email: str | None = f.email(required=True)
    Phone: str | None = f.phone("Phone")
    MobilePhone: str | None = f.phone("Mobile")
    Alias: str | None = f.text("Alias", 8, required=True)
    CommunityNickname: str | None = f.text("Nickname", 40)
    IsActive: bool = f.checkbox("Active")
    TimeZoneSidKey: str | None = f.text("Time Zone", 40, required=True)
    LocaleSidKey: str | None = f.text("Locale", 40, required=True)
    LanguageLocaleKey: str | None = f.text("Language", 40, required=True)
    EmailEncodingKey: str | None = f.text("Email Encoding", 40, required=True)
    ProfileId: str | None = f.lookup("Profile ID", "Profile", relation="Profile", children="Users", required=True)
    UserRoleId: str | None = f.lookup("Role ID", "UserRole", relation="UserRole", children="Users")
    UserType: str | None = f.text("User Type", 40, createable=False, updateable=False)
    ManagerId: str | None = f.lookup("Manager ID", "User", relation="Manager", children="ManagedUsers")
    EmployeeNumber: str | None = f.text("Employee Number", 20)
    FederationIdentifier: str | None = f.text("SAML Federation ID", 512)
    AboutMe: str | None = f.area("About Me", 1000)
    StartDate__c: str | None = f.date("Start Date")


class Group(SObject, table=True):
    """A queue or public group."""

    prefix = "00G"
    label, plural = "Group", "Group"
    operations = READ_ONLY
    hidden: ClassVar[frozenset[str]] = SETUP | NOT_VIEWED

    Name: str | None = f.text("Name", 40, required=True, name_field=True)
    DeveloperName: str | None = f.text("Developer Name", 80)
    Type: str | None = f.picklist("Type", ("Regular", "Queue", "Role", "Organization"))
    Email: str | None = f.email()


class Profile(SObject, table=True):
    """What a kind of user may do."""

    prefix = "00e"
    label, plural = "Profile", "Profile"
    operations = READ_ONLY
    hidden: ClassVar[frozenset[str]] = SETUP

    Name: str | None = f.text("Name", name_field=True)
    UserType: str | None = f.text("User Type", 40)
    Description: str | None = f.text("Description")


class UserRole(SObject, table=True):
    """A place in the role hierarchy."""

    prefix = "00E"
    label, plural = "Role", "Role"
    operations = READ_ONLY
    hidden: ClassVar[frozenset[str]] = SETUP

    Name: str | None = f.text("Name", 80, name_field=True)
    DeveloperName: str | None = f.text("Developer Name", 80)
    ParentRoleId: str | None = f.lookup("Parent Role ID", "UserRole", relation="ParentRole")


class RecordType(SObject, table=True):
    """A variant of an sObject."""

    prefix = "012"
    label, plural = "Record Type", "Record Types"
    operations = READ_ONLY
    hidden: ClassVar[frozenset[str]] = SETUP

    Name: str | None = f.text("Name", 80, name_field=True)
    DeveloperName: str | None = f.text("Record Type Name", 80)
    SobjectType: str | None = f.text("SObject Type Name", 40)
    IsActive: bool = f.checkbox("Active", default=True)
    Description: str | None = f.text("Description")


class Organization(SObject, table=True):
    """The organisation itself."""

    prefix = "00D"
    label, plural = "Organization", "Organization"
    operations = READ_ONLY
    hidden: ClassVar[frozenset[str]] = SETUP

    Name: str | None = f.text("Name", 80, name_field=True)
    InstanceName: str | None = f.text("Instance Name", 5)
    OrganizationType: str | None = f.text("Edition", 40)
    IsSandbox: bool = f.checkbox("Is Sandbox")
    TimeZoneSidKey: str | None = f.text("Time Zone", 40)
    DefaultLocaleSidKey: str | None = f.text("Locale", 40)
    LanguageLocaleKey: str | None = f.text("Language", 40)
    DefaultCurrencyIsoCode: str | None = f.text("Corporate Currency", 3)
    FiscalYearStartMonth: int | None = f.number("Fiscal Year Starts In")


class CurrencyType(SObject, table=True):
    """A currency of the organisation: how many of its units one unit of the corporate currency is worth."""

    prefix = "01L"
    label, plural = "Currency Type", "Currency Type"
    operations = READ_ONLY
    hidden: ClassVar[frozenset[str]] = SETUP

    IsoCode: str | None = f.picklist("Currency ISO Code", CURRENCIES, restricted=True, name_field=True)
    ConversionRate: float | None = f.double("Conversion Rate", 18, 6)
    DecimalPlaces: int | None = f.number("Decimal Places")
    IsActive: bool = f.checkbox("Active")
    IsCorporate: bool = f.checkbox("Is Corporate Currency")
