/**
 * A typical list of 500 properties that was never imported anywhere: postcodes and property types in various spellings,
 * dates with two-digit years, duplicate rows, blank rows, a total row. The expected result of an import is included.
 */
export interface UntidyList {
  text: string
  /** The number of imported properties. */
  homes: number
  /** Rows that repeat an earlier one exactly. */
  repeated: number
  refusedRows: number
  /** Every rejected cell. */
  refused: { reference: string; header: string; message: string }[]
  /** How often values occur that have no meaning until a user maps them. */
  unknownWords: Record<string, number>
}

const columns = [
  'Prop. Ref',
  'Address 1',
  'Address 2',
  'Town/City',
  'Post Code',
  'Property Type',
  'EPC',
  'LGSR date',
  'No. of rooms',
  'Tenancy Status',
]
type Home = Record<(typeof columns)[number], string>

const postcodes = ['LS1 4AB', 'ls1 4ab', 'LS14AB', ' LS1  4AB ', 'Ls1 4Ab']
const kinds = [
  'Semi',
  'SEMI DETACHED',
  'semi-det',
  'Mid Terr',
  'House End-Terrace',
  'corner flat',
  'apartment mid-block',
]
const days = ['03/02/26', '3.2.2026', '2026-02-03', '03-Feb-26', '03 February 2026', '']

export function untidyHomes(count = 500): UntidyList {
  const homes: Home[] = Array.from({ length: count }, (_, at) => ({
    'Prop. Ref': `UNT/${String(at + 1).padStart(4, '0')}`,
    'Address 1': `${at + 1}  Mill   Lane`,
    'Address 2': at % 9 === 0 ? 'Beeston' : '',
    'Town/City': at % 2 ? 'LEEDS' : 'Leeds ',
    'Post Code': postcodes[at % postcodes.length]!,
    'Property Type': kinds[at % kinds.length]!,
    EPC: ['C', 'c', ' D ', '', 'No rating'][at % 5]!,
    'LGSR date': days[at % days.length]!,
    'No. of rooms': ['4', ' 5', ''][at % 3]!,
    'Tenancy Status': ['Let', 'TENANTED', 'Void', ''][at % 4]!,
  }))
  const refused: UntidyList['refused'] = []
  const wrong = (at: number, header: keyof Home, value: string, message: string) => {
    homes[at]![header] = value
    refused.push({ reference: homes[at]!['Prop. Ref']!, header, message })
  }
  wrong(10, 'LGSR date', '31/02/26', '31/02/26 is not a day: February 2026 has 28 days')
  wrong(11, 'LGSR date', 'no access', 'Not a date')
  wrong(12, 'LGSR date', '01/05/2062', 'A gas safety test cannot be in the future')
  wrong(13, 'LGSR date', '01/05/68', 'A gas safety test of 1968 seems to be a typing error')
  wrong(20, 'EPC', 'C/D', 'EPC rating must be A to G or No rating')
  wrong(21, 'No. of rooms', 'four', 'Not a whole number')
  const unknownWords = { 'Mid Terace': 4, Maisonette: 6 }
  let next = 40
  for (const [word, times] of Object.entries(unknownWords))
    for (let n = 0; n < times; n++) homes[next++]!['Property Type'] = word

  // Whole rows: no postcode, no reference, and a property listed twice with different values.
  wrong(30, 'Post Code', 'LS1', 'Postcode must be valid')
  wrong(31, 'Address 1', '', 'Address line 1 is missing')
  homes[32]!['Prop. Ref'] = ''
  refused.push({
    reference: '',
    header: 'Prop. Ref',
    message: 'Property reference is missing; without it this property cannot be identified',
  })
  const rows = homes.map((home) => columns.map((column) => home[column]!))
  const otherwise = [...rows[0]!]
  otherwise[1] = '99 Elsewhere'
  refused.push({
    reference: 'UNT/0001',
    header: 'Prop. Ref',
    message: 'The same reference is in row 4 with other values',
  })
  const again = [rows[1]!, rows[2]!]
  const blank = columns.map(() => '')
  const lines = [
    ['Homes of the Mill Lane estate, as of November', ...blank.slice(1)],
    blank,
    columns,
    ...rows.slice(0, 250),
    blank,
    blank,
    ...rows.slice(250),
    ...again,
    otherwise,
    ['Total', ...blank.slice(1, 8), '2150', ''],
  ]
  const text = lines
    .map((cells) => cells.map((cell) => (/[",]/.test(cell) ? `"${cell}"` : cell)).join(','))
    .join('\r\n')
  return { text, homes: count - 3, repeated: again.length, refusedRows: 4, refused, unknownWords }
}
