import { readFileSync } from 'node:fs'

export type GivenSettings = Record<string, string | undefined>

/** Settings that hold a secret: each can be given as the path of a file, in a setting whose name ends in `_FILE`. */
export const secretSettings = [
  'DATABASE_URL',
  'MQTT_URL',
  'SMTP_URL',
  'FILES_URL',
  'S3_KEY',
  'S3_SECRET',
  'POSTCODE_SERVICE_KEY',
  'CARETAKER_BROKER_SECRET',
  'CARETAKER_TRIAL_DATABASE_URL',
  'CARETAKER_METRICS_TOKEN',
  'OTEL_EXPORTER_OTLP_HEADERS',
] as const

/** The faults of files with secrets, in one sentence each. */
export interface SecretFiles {
  settings: GivenSettings
  faults: string[]
}

/** The settings with the contents of secret files, each read once and without trailing line breaks. */
export function withSecretFiles(env: GivenSettings, read = (file: string) => readFileSync(file, 'utf8')): SecretFiles {
  const settings = { ...env }
  const faults: string[] = []
  for (const name of secretSettings) {
    const file = env[`${name}_FILE`]
    if (!file) continue
    if (env[name]) {
      faults.push(`${name} and ${name}_FILE are both set: give one of them`)
      continue
    }
    try {
      const content = read(file).replace(/[\r\n]+$/, '')
      if (content) settings[name] = content
      else faults.push(`${name}_FILE: ${file} is empty`)
    } catch (error) {
      faults.push(`${name}_FILE: ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`)
    }
  }
  return { settings, faults }
}

/** Names of the repository's tools and tests, which are not settings of the server. */
const otherNames = /^CARETAKER_(?:(?:TEST|E2E)_\w+|PICTURES|RESULTS|RUN|VERSION)$/
/** The largest number of edits between a misspelt name and the suggested one. */
const editsAtMost = 4

export interface UnknownSetting {
  name: string
  /** The known setting with the most similar name, if one is similar. */
  nearest?: string
}

/** Names that begin with CARETAKER_ but are not settings: probably misspelt, or from another version. */
export function unknownSettings(env: GivenSettings, known: readonly string[]): UnknownSetting[] {
  const files: string[] = secretSettings.map((name) => `${name}_FILE`)
  return Object.keys(env)
    .filter((name) => name.startsWith('CARETAKER_') && !otherNames.test(name))
    .filter((name) => !known.includes(name) && !files.includes(name))
    .sort()
    .map((name) => {
      const candidates = [...known, ...files].map((other) => ({ other, edits: editsBetween(name, other) }))
      const [best] = candidates.sort((one, two) => one.edits - two.edits)
      return best && best.edits <= editsAtMost ? { name, nearest: best.other } : { name }
    })
}

/** The Levenshtein distance between two names. */
function editsBetween(one: string, two: string): number {
  let row = Array.from({ length: two.length + 1 }, (_, column) => column)
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1]
    for (let column = 1; column <= two.length; column++)
      next.push(
        Math.min(next[column - 1]! + 1, row[column]! + 1, row[column - 1]! + (letter === two[column - 1] ? 0 : 1)),
      )
    row = next
  }
  return row.at(-1)!
}
