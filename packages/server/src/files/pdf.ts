import { Worker } from 'node:worker_threads'
import { SpooledFile } from '../http/spooled-file.ts'
import type { PdfFinding } from './pdf-check.ts'
import { createTurns } from './turns.ts'

const locked = 'The PDF needs a password, or is encrypted in a way that cannot be checked. Save it without a password.'
const unreadable = 'The PDF cannot be checked. Print it to a new PDF, or save it as a picture.'

/**
 * Limits per check; a certificate takes half a second and some ten megabytes. The library is untrusted, so it runs in
 * a separate thread.
 */
const limits = {
  milliseconds: 10_000,
  resources: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
}
/** Concurrent checks in this process, and the length of their queue: each holds up to 256 MB. */
const inTurn = createTurns({
  ...{ mostAtOnce: 2, mostWaiting: 4 },
  busy: 'Other files are being checked. Please try again in a moment.',
})

/** Why a PDF is rejected: it contains something that runs, sends, opens or plays, or cannot be checked. */
export async function pdfFault(content: Blob, within = limits): Promise<string | undefined> {
  const found = await inTurn(() => check(content, within))
  if (found === 'locked') return locked
  if (found === 'unreadable') return unreadable
  if (!found.length) return undefined
  return `The PDF contains ${inWords.format(found)}. Print it to a new PDF, or save it as a picture, and upload that file.`
}

const inWords = new Intl.ListFormat('en-GB', { type: 'conjunction' })

/** Checks a file in a thread that ends with the check, or at the limits of time and memory. */
async function check(content: Blob, { resources, milliseconds }: typeof limits): Promise<PdfFinding> {
  const worker = new Worker(new URL('pdf-worker.ts', import.meta.url), {
    workerData: content instanceof SpooledFile ? content.path : new Uint8Array(await content.arrayBuffer()),
    resourceLimits: resources,
    // Output of the library must not appear in the server's log.
    stdout: true,
    stderr: true,
    env: {},
  })
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<PdfFinding>((resolve) => {
      worker.once('message', resolve)
      worker.once('error', () => resolve('unreadable'))
      worker.once('exit', () => resolve('unreadable'))
      timer = setTimeout(() => resolve('unreadable'), milliseconds)
    })
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}
