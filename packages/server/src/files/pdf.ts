import { createInflate } from 'node:zlib'
import { Readable } from 'node:stream'

const scripts = 'The PDF has scripts. Save it without them, or as a picture.'
const locked = 'The PDF is locked and cannot be checked. Save it without a password.'
const unreadable = 'The PDF cannot be checked. Print it as a new PDF, or save it as a picture.'

/** Bytes looked at together, and those of them that are looked at again with the next. */
const [windowSize, overlap] = [262_144, 16_384]
/** Bytes that the objects of one PDF may unfold to: those of a certificate are a few hundred thousand. */
const mostUnfolded = 50_000_000

/** What makes something run: a script, a program, a form that is a program. Names may be written in parts as numbers. */
const runs = /\/(JavaScript|Launch|XFA|RichMedia)(?![A-Za-z0-9])/
const numbered = /#([0-9a-f]{2})/gi
const plain = (text: string) => text.replace(numbered, (_, code: string) => String.fromCharCode(parseInt(code, 16)))

/** Objects that are folded by nothing but the usual. */
const deflated = /\/Filter\s*(\/FlateDecode\s*[/>]|\[\s*\/FlateDecode\s*\])/

/**
 * What keeps a PDF from being taken: that it holds something that runs when it is opened or pressed, plainly or within
 * compressed objects (ISO 32000-2, 7.5.7 and 12.6.4), or that nobody can tell. Reads it in parts.
 */
export async function pdfFault(content: Blob): Promise<string | undefined> {
  let unfolded = 0
  for (let from = 0; from === 0 || from < content.size - overlap; from += windowSize - overlap) {
    const text = await textOf(content.slice(from, from + windowSize))
    const named = text.includes('#') ? plain(text) : text
    if (runs.test(named)) return scripts
    if (/\/Encrypt(?![A-Za-z0-9])/.test(named)) return locked
    for (const { index, 0: keyword } of text.matchAll(/(?<!end)stream\r?\n/g)) {
      const before = text.slice(Math.max(0, index - overlap), index)
      const head = plain(before.slice(before.lastIndexOf(' obj') + 1))
      if (!head.includes('/ObjStm')) continue
      // Whatever else it may be folded with, viewers unfold and this does not.
      if (!deflated.test(head) || head.includes('/Predictor')) return unreadable
      const found = await runsWithin(content.slice(from + index + keyword.length), mostUnfolded - unfolded)
      if (found === undefined) return unreadable
      if (found === true) return scripts
      unfolded += found
    }
  }
  return undefined
}

const textOf = async (part: Blob) => Buffer.from(await part.arrayBuffer()).toString('latin1')

/** Whether compressed objects name something that runs, else how many bytes they are; undefined where that cannot be told. */
async function runsWithin(folded: Blob, most: number): Promise<true | number | undefined> {
  const inflate = createInflate()
  const source = Readable.fromWeb(folded.stream() as Parameters<typeof Readable.fromWeb>[0])
  source.on('error', () => inflate.destroy())
  source.pipe(inflate)
  let [bytes, last] = [0, '']
  try {
    for await (const chunk of inflate as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > most) return undefined
      const text = last + chunk.toString('latin1')
      if (runs.test(plain(text))) return true
      // A name may go on in the next part.
      last = text.slice(-64)
    }
    return bytes
  } catch {
    return undefined
  } finally {
    source.destroy()
    inflate.destroy()
  }
}
