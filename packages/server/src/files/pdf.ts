import { Readable } from 'node:stream'
import { createInflate } from 'node:zlib'
import type { Parts } from './parts.ts'
import { eachPart, partSize } from './parts.ts'

const scripts = 'The PDF has scripts. Save it without them, or as a picture.'
const locked = 'The PDF is locked and cannot be checked. Save it without a password.'
const unreadable = 'The PDF cannot be checked. Print it as a new PDF, or save it as a picture.'

/** Bytes of a part that are looked at again with the next. */
const overlap = 16_384
/** Bytes that the objects of one PDF may unfold to: those of a certificate are a few hundred thousand. */
const mostUnfolded = 50_000_000

/** What makes something run: a script, a program, a form that is a program. */
const runs = ['/JavaScript', '/Launch', '/XFA', '/RichMedia']
const encrypted = ['/Encrypt']

/** Objects that are folded by nothing but the usual. */
const deflated = /\/Filter\s*(\/FlateDecode\s*[/>]|\[\s*\/FlateDecode\s*\])/

/**
 * What keeps a PDF from being taken: that it holds something that runs when it is opened or pressed, plainly or within
 * compressed objects (ISO 32000-2, 7.5.7 and 12.6.4), or that nobody can tell.
 */
export async function pdfFault(content: Parts): Promise<string | undefined> {
  const [memory, spare] = [Buffer.allocUnsafeSlow(partSize), Buffer.allocUnsafeSlow(partSize)]
  let unfolded = 0
  for (let from = 0; from === 0 || from < content.size - overlap; from += partSize - overlap) {
    const part = memory.subarray(0, await content.read(memory, from))
    const named = plain(part, spare)
    if (namesAny(named, runs)) return scripts
    if (namesAny(named, encrypted)) return locked
    for (const { head, start } of streamsIn(part)) {
      if (!head.includes('/ObjStm')) continue
      // Whatever else it may be folded with, viewers unfold and this does not.
      if (!deflated.test(head) || head.includes('/Predictor')) return unreadable
      const found = await runsWithin(content, from + start, mostUnfolded - unfolded)
      if (found === undefined) return unreadable
      if (found === true) return scripts
      unfolded += found
    }
  }
  return undefined
}

const [numberSign, digitZero, digitNine, lineFeed, carriageReturn] = [0x23, 0x30, 0x39, 0x0a, 0x0d]
const isLetter = (byte: number) => (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a
const isDigit = (byte: number) => byte >= digitZero && byte <= digitNine

/** Value of a hexadecimal digit; -1 for what is none. */
function hexValue(byte: number | undefined): number {
  if (byte === undefined) return -1
  if (isDigit(byte)) return byte - digitZero
  const letter = (byte | 0x20) - 0x61
  return letter >= 0 && letter < 6 ? letter + 10 : -1
}

/** The bytes with what names write as numbers ('/Java#53cript') in letters: in the spare memory, or as they are without any. */
function plain(bytes: Buffer, spare: Buffer): Buffer {
  let [from, length] = [0, 0]
  for (let at = bytes.indexOf(numberSign); at >= 0; at = bytes.indexOf(numberSign, Math.max(from, at + 1))) {
    const [high, low] = [hexValue(bytes[at + 1]), hexValue(bytes[at + 2])]
    if (high < 0 || low < 0) continue
    length += bytes.copy(spare, length, from, at)
    spare[length++] = high * 16 + low
    from = at + 3
  }
  return from === 0 ? bytes : spare.subarray(0, length + bytes.copy(spare, length, from))
}

/** Whether one of the names stands there, and not only as the beginning of another. */
function namesAny(bytes: Buffer, names: readonly string[]): boolean {
  return names.some((name) => {
    for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + 1)) {
      const next = bytes[at + name.length]
      if (next === undefined || !(isLetter(next) || isDigit(next))) return true
    }
    return false
  })
}

/** Where streams begin in a part, with what stands before each in its object. */
function* streamsIn(part: Buffer): Generator<{ head: string; start: number }> {
  const keyword = 'stream'
  for (let at = part.indexOf(keyword); at >= 0; at = part.indexOf(keyword, at + 1)) {
    if (part.subarray(Math.max(0, at - 3), at).equals(end)) continue
    const after = at + keyword.length
    const start = part[after] === carriageReturn ? after + 1 : after
    if (part[start] !== lineFeed) continue
    const before = part.subarray(Math.max(0, at - overlap), at)
    const own = before.subarray(before.lastIndexOf(' obj') + 1)
    yield { head: plain(own, Buffer.allocUnsafe(own.length)).toString('latin1'), start: start + 1 }
  }
}
const end = Buffer.from('end')

/** Whether compressed objects name something that runs, else how many bytes they are; undefined where that cannot be told. */
async function runsWithin(content: Parts, from: number, most: number): Promise<true | number | undefined> {
  const inflate = createInflate()
  const source = Readable.from(copied(eachPart(content, from)))
  source.on('error', () => inflate.destroy())
  source.pipe(inflate)
  let [bytes, last] = [0, Buffer.alloc(0)]
  try {
    for await (const chunk of inflate as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > most) return undefined
      const part = Buffer.concat([last, chunk])
      if (namesAny(plain(part, Buffer.allocUnsafe(part.length)), runs)) return true
      // A name may go on in the next part.
      last = part.subarray(-64)
    }
    return bytes
  } catch {
    return undefined
  } finally {
    source.destroy()
    inflate.destroy()
  }
}

/** Parts that last: inflating goes on while the next is read. */
async function* copied(parts: AsyncGenerator<Buffer>) {
  for await (const part of parts) yield Buffer.from(part)
}
