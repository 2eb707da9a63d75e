"""Edits one exported workbook in LibreOffice in several ways, and saves each result beside this file.

Start LibreOffice first, then run this script with the Python that has its `uno` module:

    soffice --headless --accept='socket,host=127.0.0.1,port=2002;urp;' --norestore &
    python3 edit-workbooks.py exported.xlsx exported-ar.xlsx <folder>
"""

import sys
import time
from pathlib import Path

import uno
from com.sun.star.beans import PropertyValue
from com.sun.star.table import TableSortField


def prop(name, value):
    entry = PropertyValue()
    entry.Name, entry.Value = name, value
    return entry


def connect():
    resolver = uno.getComponentContext().ServiceManager.createInstance("com.sun.star.bridge.UnoUrlResolver")
    for _ in range(60):
        try:
            context = resolver.resolve("uno:socket,host=127.0.0.1,port=2002;urp;StarOffice.ComponentContext")
            return context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
        except Exception:
            time.sleep(0.5)
    raise SystemExit("LibreOffice does not answer")


def used(sheet):
    cursor = sheet.createCursor()
    cursor.gotoEndOfUsedArea(False)
    return cursor.RangeAddress.EndColumn, cursor.RangeAddress.EndRow


def cell(sheet, header, row):
    columns, _ = used(sheet)
    for column in range(columns + 1):
        if sheet.getCellByPosition(column, 0).String == header:
            return sheet.getCellByPosition(column, row - 1)
    raise SystemExit(f"no column {header}")


def sort_by_title_descending(sheet):
    columns, rows = used(sheet)
    field = TableSortField()
    field.Field, field.IsAscending = 1, False
    fields = uno.Any("[]com.sun.star.table.TableSortField", (field,))
    area = sheet.getCellRangeByPosition(0, 0, columns, rows)
    area.sort((prop("SortFields", fields), prop("ContainsHeader", True)))
    cell(sheet, "Title", 2).String = "Sorted"


def move_columns(sheet):
    # The amounts come before the titles.
    sheet.Columns.insertByIndex(1, 1)
    _, rows = used(sheet)
    source = next(i for i in range(20) if sheet.getCellByPosition(i, 0).String == "Amount")
    area = sheet.getCellRangeByPosition(source, 0, source, rows).RangeAddress
    sheet.moveRange(sheet.getCellByPosition(1, 0).CellAddress, area)
    sheet.Columns.removeByIndex(source, 1)
    cell(sheet, "Amount", 2).Value = 42.75


def delete_and_add_rows(sheet):
    sheet.Rows.removeByIndex(1, 3)
    _, rows = used(sheet)
    sheet.getCellByPosition(0, rows + 1).Value = 99
    sheet.getCellByPosition(1, rows + 1).String = "A new order"
    cell(sheet, "Title", 2).String = "Below the deleted ones"


def change_types(sheet):
    cell(sheet, "Amount", 2).String = "17.5"
    cell(sheet, "Runs", 3).String = "7"
    cell(sheet, "Title", 4).Value = 2026
    cell(sheet, "Amount", 5).Formula = "=1+1"


def change_dates(sheet):
    # 1 May 2026, 10:30
    cell(sheet, "Due", 2).Value = 46143.4375
    cell(sheet, "Due", 3).String = "2026-05-02 11:45"
    cell(sheet, "Due", 4).String = ""


def touch_nothing(sheet):
    pass


def write_arabic(sheet):
    cell(sheet, "العنوان", 2).String = "طلب «جديد» رقم ١"
    cell(sheet, "الحالة", 3).String = "منجز"
    cell(sheet, "المبلغ", 4).String = "٧٫٢٥"
    cell(sheet, "مميَّز بعلامة", 5).String = "نعم"


edits = {
    "untouched": touch_nothing,
    "sorted": sort_by_title_descending,
    "moved-columns": move_columns,
    "rows": delete_and_add_rows,
    "types": change_types,
    "dates": change_dates,
}


def save(desktop, source, target, edit):
    book = desktop.loadComponentFromURL(Path(source).resolve().as_uri(), "_blank", 0, (prop("Hidden", True),))
    edit(book.Sheets.getByIndex(0))
    book.storeToURL(Path(target).resolve().as_uri(), (prop("FilterName", "Calc MS Excel 2007 XML"),))
    book.close(True)


def main(english, arabic, folder):
    desktop = connect()
    for name, edit in edits.items():
        save(desktop, english, f"{folder}/{name}.xlsx", edit)
    save(desktop, arabic, f"{folder}/arabic.xlsx", write_arabic)


main(*sys.argv[1:4])
