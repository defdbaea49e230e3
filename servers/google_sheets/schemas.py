"""Parts of request bodies, as callers write them. https://developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets/request"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from .models import Json

Text = str | None
Flag = bool | None
Number = Annotated[int, Field(ge=-(2**31), lt=2**31)] | None
Render = Literal["FORMATTED_VALUE", "UNFORMATTED_VALUE", "FORMULA"]
DateRender = Literal["SERIAL_NUMBER", "FORMATTED_STRING"]
Dimension = Literal["ROWS", "COLUMNS"]


class Part(BaseModel, extra="forbid"):
    """A JSON object of the API."""

    def sent(self) -> Json:
        """What the caller wrote."""
        return self.model_dump(exclude_unset=True, exclude_none=True)


class GridRange(Part):
    sheetId: Number = None
    startRowIndex: Number = None
    endRowIndex: Number = None
    startColumnIndex: Number = None
    endColumnIndex: Number = None


class GridCoordinate(Part):
    sheetId: Number = None
    rowIndex: Number = None
    columnIndex: Number = None


class DimensionRange(Part):
    sheetId: Number = None
    dimension: Literal["DIMENSION_UNSPECIFIED", "ROWS", "COLUMNS"] | None = None
    startIndex: Number = None
    endIndex: Number = None


class Color(Part):
    red: Annotated[float, Field(ge=0, le=1)] | None = None
    green: Annotated[float, Field(ge=0, le=1)] | None = None
    blue: Annotated[float, Field(ge=0, le=1)] | None = None
    alpha: Any = None


class ColorStyle(Part):
    rgbColor: Color | None = None
    themeColor: Text = None


class GridProperties(Part):
    rowCount: Number = None
    columnCount: Number = None
    frozenRowCount: Number = None
    frozenColumnCount: Number = None
    hideGridlines: Flag = None
    rowGroupControlAfter: Flag = None
    columnGroupControlAfter: Flag = None


class SheetProperties(Part):
    sheetId: Number = None
    title: Text = None
    index: Number = None
    sheetType: Literal["SHEET_TYPE_UNSPECIFIED", "GRID", "OBJECT", "DATA_SOURCE"] | None = None
    gridProperties: GridProperties | None = None
    hidden: Flag = None
    tabColor: Color | None = None
    tabColorStyle: ColorStyle | None = None
    rightToLeft: Flag = None
    dataSourceSheetProperties: Json | None = None


class SpreadsheetProperties(Part):
    title: Text = None
    locale: Text = None
    autoRecalc: Literal["RECALCULATION_INTERVAL_UNSPECIFIED", "ON_CHANGE", "MINUTE", "HOUR"] | None = None
    timeZone: Text = None
    defaultFormat: Json | None = None
    iterativeCalculationSettings: Json | None = None
    spreadsheetTheme: Json | None = None
    importFunctionsExternalUrlAccessAllowed: Flag = None


class ExtendedValue(Part):
    numberValue: Annotated[float, Field(allow_inf_nan=False)] | None = None
    stringValue: Text = None
    boolValue: Flag = None
    formulaValue: Text = None
    errorValue: Json | None = None


class NumberFormat(Part):
    type: (
        Literal[
            "NUMBER_FORMAT_TYPE_UNSPECIFIED", "TEXT", "NUMBER", "PERCENT", "CURRENCY", "DATE", "TIME", "DATE_TIME", "SCIENTIFIC"
        ] | None
    ) = None  # fmt: skip
    pattern: Annotated[str, Field(max_length=1000)] | None = None


class CellFormat(BaseModel, extra="allow"):
    """Of a cell's format only the number format has rules here; the rest is kept as it is."""

    numberFormat: NumberFormat | None = None


class ConditionValue(Part):
    userEnteredValue: Text = None
    relativeDate: Text = None


Condition = Literal[
    "NUMBER_GREATER", "NUMBER_GREATER_THAN_EQ", "NUMBER_LESS", "NUMBER_LESS_THAN_EQ", "NUMBER_EQ", "NUMBER_NOT_EQ", "NUMBER_BETWEEN",
    "NUMBER_NOT_BETWEEN", "TEXT_CONTAINS", "TEXT_NOT_CONTAINS", "TEXT_STARTS_WITH", "TEXT_ENDS_WITH", "TEXT_EQ", "TEXT_IS_EMAIL",
    "TEXT_IS_URL", "DATE_EQ", "DATE_BEFORE", "DATE_AFTER", "DATE_ON_OR_BEFORE", "DATE_ON_OR_AFTER", "DATE_BETWEEN", "DATE_NOT_BETWEEN",
    "DATE_IS_VALID", "ONE_OF_RANGE", "ONE_OF_LIST", "BLANK", "NOT_BLANK", "CUSTOM_FORMULA", "BOOLEAN", "TEXT_NOT_EQ", "DATE_NOT_EQ",
    "FILTER_EXPRESSION",
]  # fmt: skip


class BooleanCondition(Part):
    type: Condition | None = None
    values: list[ConditionValue] | None = None


class DataValidationRule(Part):
    condition: BooleanCondition | None = None
    inputMessage: Text = None
    strict: Flag = None
    showCustomUi: Flag = None


class CellData(BaseModel, extra="ignore"):
    """What a cell is to hold; what only the product writes is read over."""

    userEnteredValue: ExtendedValue | None = None
    userEnteredFormat: CellFormat | None = None
    dataValidation: DataValidationRule | None = None
    note: Text = None

    def sent(self) -> Json:
        return self.model_dump(exclude_unset=True, exclude_none=True)


class RowData(Part):
    values: list[CellData | None] | None = None


class GridData(BaseModel, extra="ignore"):
    startRow: Annotated[int, Field(ge=0)] | None = None
    startColumn: Annotated[int, Field(ge=0)] | None = None
    rowData: list[RowData | None] | None = None


class NamedRange(Part):
    namedRangeId: Text = None
    name: Text = None
    range: GridRange | None = None


class Editors(Part):
    users: list[str] | None = None
    groups: list[str] | None = None
    domainUsersCanEdit: Flag = None


class ProtectedRange(Part):
    protectedRangeId: Number = None
    range: GridRange | None = None
    namedRangeId: Text = None
    tableId: Text = None
    description: Text = None
    warningOnly: Flag = None
    requestingUserCanEdit: Flag = None
    unprotectedRanges: list[GridRange] | None = None
    editors: Editors | None = None


class SortSpec(Part):
    dimensionIndex: Number = None
    sortOrder: Literal["SORT_ORDER_UNSPECIFIED", "ASCENDING", "DESCENDING"] | None = None
    foregroundColor: Json | None = None
    backgroundColor: Json | None = None
    foregroundColorStyle: Json | None = None
    backgroundColorStyle: Json | None = None
    dataSourceColumnReference: Json | None = None


class FilterCriteria(Part):
    hiddenValues: list[str] | None = None
    condition: BooleanCondition | None = None
    visibleBackgroundColor: Json | None = None
    visibleForegroundColor: Json | None = None
    visibleBackgroundColorStyle: Json | None = None
    visibleForegroundColorStyle: Json | None = None


class FilterSpec(Part):
    columnIndex: Annotated[int, Field(ge=0, lt=18_278)] | None = None
    filterCriteria: FilterCriteria | None = None
    dataSourceColumnReference: Json | None = None


class BasicFilter(Part):
    range: GridRange | None = None
    tableId: Text = None
    sortSpecs: list[SortSpec] | None = None
    criteria: dict[str, FilterCriteria] | None = None
    filterSpecs: list[FilterSpec] | None = None


class NewSheet(BaseModel, extra="ignore"):
    """A sheet of a spreadsheet that is created."""

    properties: SheetProperties | None = None
    data: list[GridData] | None = None
    merges: list[GridRange] | None = None


class DataFilter(Part):
    a1Range: Text = None
    gridRange: GridRange | None = None
    developerMetadataLookup: Json | None = None
