import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import Tinypool from 'tinypool'
import type { Estimate } from './strength-worker.ts'

export const shortestPassword = 10
export const longestPassword = 200

/** Characters required in addition to the owner's personal words, which an acquaintance would try first. */
const leastOwnPart = 8

/** From 0 to 4: 3 withstands 10^8 guesses, more than anyone can try at the sign-in page. */
const leastScore = 3

interface Owner {
  email: string
  name: string
}

/** The reason why a password is refused, with advice, in one or two sentences; undefined for a good one. */
export async function weaknessOf(password: string, owner: Owner): Promise<string | undefined> {
  const typed = password.normalize('NFKC').toLowerCase()
  // Spaces at the ends are part of the password but do not count towards its length.
  if (typed.trim().length < shortestPassword)
    return `The password must have at least ${shortestPassword} characters, not counting spaces at its beginning and end.`
  const personal = personalWords(owner)
  if (withoutWords(typed, personal).length < leastOwnPart) return `${reasons.userInputs} ${advice}`
  if (await isCommon(typed.trim())) return `Many people use this password, so it is tried first. ${advice}`
  const { score, warning } = await estimate(password, personal)
  return score < leastScore ? `${reasonOf(warning)} ${advice}` : undefined
}

/** Words that name the owner or the portal: parts of the e-mail address and of the name. */
const personalWords = ({ email, name }: Owner) =>
  ['caretaker', email, ...email.split(/[@.]/), ...name.split(/\s+/)]
    .map((word) => word.normalize('NFKC').toLowerCase())
    .filter((word) => word.length > 2)

const withoutWords = (typed: string, words: readonly string[]) =>
  words.reduce((left, word) => left.replaceAll(word, ''), typed)

const advice = 'Choose another: three or four unrelated words, or a password that a password manager has generated.'

const reasons: Record<string, string> = {
  straightRow: 'Keys next to each other are easy to guess.',
  keyPattern: 'Keys next to each other are easy to guess.',
  simpleRepeat: 'Repeated characters are easy to guess.',
  extendedRepeat: 'Repeated characters are easy to guess.',
  sequences: 'Sequences such as abc or 6543 are easy to guess.',
  recentYears: 'Years and dates are easy to guess.',
  dates: 'Years and dates are easy to guess.',
  topTen: 'Many people use a password like this one, so it is tried first.',
  topHundred: 'Many people use a password like this one, so it is tried first.',
  common: 'Many people use a password like this one, so it is tried first.',
  similarToCommon: 'Many people use a password like this one, so it is tried first.',
  wordByItself: 'A single word is easy to guess.',
  namesByThemselves: 'Names are easy to guess.',
  commonNames: 'Names are easy to guess.',
  userInputs: 'Your name, your e-mail address and the name of this portal are easy to guess.',
}

const reasonOf = (warning: string | null) => reasons[warning ?? ''] ?? 'This password is easy to guess.'

/**
 * The 100,000 most common passwords that are long enough, in lower case, one per line: from the ten million that Mark
 * Burnett released into the public domain in 2015, in the order of the SecLists project.
 */
const commonFile = new URL('common-passwords.txt.gz', import.meta.url)
let common: Promise<Buffer> | undefined

async function isCommon(typed: string): Promise<boolean> {
  common ??= readFile(commonFile).then((packed) => promisify(gunzip)(packed))
  return (await common).includes(`\n${typed}\n`)
}

let pool: Tinypool | undefined

async function estimate(password: string, personal: string[]): Promise<Estimate> {
  pool ??= new Tinypool({
    filename: fileURLToPath(new URL('strength-worker.ts', import.meta.url)),
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 60_000,
  })
  return (await pool.run({ password, personal })) as Estimate
}
