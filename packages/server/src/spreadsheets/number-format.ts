import type { SheetCell } from '@caretaker/rules/imports/cells.ts'

/** The relevant built-in formats (ECMA-376, part 1, section 18.8.30). */
const builtIn: Readonly<Record<string, string>> = {
  '11': '0.00E+00',
  '14': 'dd/mm/yyyy',
  '15': 'd-mmm-yy',
  '16': 'd-mmm',
  '17': 'mmm-yy',
  '22': 'dd/mm/yyyy hh:mm',
  '48': '##0.0E+0',
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** A number as a cell; a day if its format is a date. Keeps the displayed text where it differs from the value. */
export function numberCell(value: number, format: string, from1904: boolean): SheetCell {
  const code = builtIn[format] ?? format
  if (isDay(code)) {
    const day = dayOf(value, from1904)
    if (day) return withShown({ kind: 'day', text: day }, shownDay(day, code))
  }
  const text = Number.isSafeInteger(value) ? String(value) : plain(value)
  return withShown({ kind: 'number', text }, /e\+/i.test(code) ? scientific(value, code) : text)
}

const withShown = (cell: SheetCell, shown: string): SheetCell => (shown === cell.text ? cell : { ...cell, shown })

/** Digits without an exponent, however large. */
const plain = (value: number) =>
  Math.abs(value) >= 1e21 || (Number.isInteger(value) && Math.abs(value) > Number.MAX_SAFE_INTEGER)
    ? BigInt(Math.round(value)).toString()
    : String(value)

/** Quoted texts, and colours and locales in brackets, do not determine the kind. */
const isDay = (code: string) => /[dy]|m{3}/i.test(code.replaceAll(/"[^"]*"|\[[^\]]*\]|\\./g, ''))

/** Spreadsheets count days from the end of 1899 (or from 1904) and treat 1900 as a leap year. */
function dayOf(serial: number, from1904: boolean): string | undefined {
  const days = Math.floor(serial) + (from1904 ? 1462 : serial < 60 ? 1 : 0)
  if (days < 1 || days > 2_958_465) return undefined
  return new Date((days - 25_569) * 86_400_000).toISOString().slice(0, 10)
}

function shownDay(day: string, code: string): string {
  const [year, month, date] = day.split('-') as [string, string, string]
  const part: Record<string, string> = {
    yyyy: year,
    yy: year.slice(2),
    mmmm: months[Number(month) - 1]!,
    mmm: months[Number(month) - 1]!,
    mm: month,
    m: String(Number(month)),
    dd: date,
    d: String(Number(date)),
  }
  const [dayPart = ''] = code.split(/[ ;]?(?:h|;)/i)
  return dayPart.replaceAll(/yyyy|yy|m{1,4}|dd?/gi, (sign) => part[sign.toLowerCase()] ?? sign)
}

/** As displayed by `0.00E+00`. */
function scientific(value: number, code: string): string {
  const [mantissa = '', exponent = '00'] = code.split(/E\+/i)
  const [digits, power] = value.toExponential((mantissa.split('.')[1] ?? '').length).split('e') as [string, string]
  return `${digits}E${power[0]}${power.slice(1).padStart(exponent.replaceAll(/[^0]/g, '').length, '0')}`
}
