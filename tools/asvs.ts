/**
 * The numbers of OWASP ASVS 5.0.0's requirements at levels 1 and 2, by section: `1.2: 1 2` means 1.2.1 and 1.2.2. Only
 * numbers and levels; the texts are in the standard.
 */
const bySection: Readonly<Record<1 | 2, string>> = {
  1: `
  1.2: 1 2 3 4 5; 1.3: 1 2; 1.5: 1; 2.1: 1; 2.2: 1 2; 2.3: 1; 3.2: 1 2; 3.3: 1; 3.4: 1 2; 3.5: 1 2 3; 4.1: 1;
  4.4: 1; 5.2: 1 2; 5.3: 1 2; 6.1: 1; 6.2: 1 2 3 4 5 6 7 8; 6.3: 1 2; 6.4: 1 2; 7.2: 1 2 3 4; 7.4: 1 2; 8.1: 1;
  8.2: 1 2; 8.3: 1; 9.1: 1 2 3; 9.2: 1; 10.4: 1 2 3 4 5; 11.3: 1 2; 11.4: 1; 12.1: 1; 12.2: 1 2; 13.4: 1;
  14.2: 1; 14.3: 1; 15.1: 1; 15.2: 1; 15.3: 1`,
  2: `
  1.1: 1 2; 1.2: 6 7 8 9; 1.3: 3 4 5 6 7 8 9 10 11; 1.4: 1 2 3; 1.5: 2; 2.1: 2 3; 2.2: 3; 2.3: 2 3 4; 2.4: 1;
  3.3: 2 3 4; 3.4: 3 4 5 6; 3.5: 4 5; 3.7: 1 2; 4.1: 2 3; 4.2: 1; 4.3: 1 2; 4.4: 2 3 4; 5.1: 1; 5.2: 3;
  5.4: 1 2 3; 6.1: 2 3; 6.2: 9 10 11 12; 6.3: 3 4; 6.4: 3 4; 6.5: 1 2 3 4 5; 6.6: 1 2 3; 6.8: 1 2 3 4;
  7.1: 1 2 3; 7.3: 1 2; 7.4: 3 4 5; 7.5: 1 2; 7.6: 1 2; 8.1: 2; 8.2: 3; 8.4: 1; 9.2: 2 3 4; 10.1: 1 2;
  10.2: 1 2; 10.3: 1 2 3 4; 10.4: 6 7 8 9 10 11; 10.5: 1 2 3 4 5; 10.6: 1 2; 10.7: 1 2 3; 11.1: 1 2;
  11.2: 1 2 3; 11.3: 3; 11.4: 2 3 4; 11.5: 1; 11.6: 1; 12.1: 2 3; 12.3: 1 2 3 4; 13.1: 1; 13.2: 1 2 3 4 5;
  13.3: 1 2; 13.4: 2 3 4 5; 14.1: 1 2; 14.2: 2 3 4; 14.3: 2 3; 15.1: 2 3; 15.2: 2 3; 15.3: 2 3 4 5 6 7;
  16.1: 1; 16.2: 1 2 3 4 5; 16.3: 1 2 3 4; 16.4: 1 2 3; 16.5: 1 2 3; 17.1: 1; 17.2: 1 2 3 4; 17.3: 1 2`,
}

export type Level = keyof typeof bySection

/** The level of each requirement, by its number. */
export const levels: ReadonlyMap<string, Level> = new Map(
  ([1, 2] as const).flatMap((level) =>
    bySection[level].split(';').flatMap((part) => {
      const [section = '', numbers = ''] = part.trim().split(': ')
      return numbers.split(' ').map((number) => [`${section}.${number}`, level] as const)
    }),
  ),
)

export interface Row {
  number: string
  level: number
  subject: string
  state: string
  /** Links to files, with the title of a test or an anchor. */
  places: { file: string; anchor: string; title: string | undefined }[]
}

const link = /\[[^\]]+\]\(([^)#]+)#?([^)]*)\)(?: “(.+?)”(?=;|$))?/g

/** The rows of the table of requirements. */
export function rowsOf(text: string): Row[] {
  return text.split('\n').flatMap((line) => {
    const [, number, level, subject, state, places] =
      /^\| (\d+\.\d+\.\d+) \| (\d) \| (.*?) \| (.*?) \| (.*) \|$/.exec(line) ?? []
    if (number === undefined) return []
    return [
      {
        ...{ number, level: Number(level), subject: subject!, state: state! },
        places: [...places!.matchAll(link)].map(([, file, anchor, title]) => ({ file: file!, anchor: anchor!, title })),
      },
    ]
  })
}

export const states = ['met', 'not applicable', 'not met'] as const
export type State = (typeof states)[number]

/** The state at the beginning of a cell; undefined if there is none, or if the reason that it needs is missing. */
export function stateOf({ state }: Row): State | undefined {
  if (/^met(?: \(.+\))?$/.test(state)) return 'met'
  const [, kind] = /^(not applicable|not met): .+$/.exec(state) ?? []
  return kind as State | undefined
}
