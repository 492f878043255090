import { Worker } from 'node:worker_threads'
import { SpooledFile } from '../http/spooled-file.ts'
import type { Drawing } from './svg.ts'
import { createTurns } from './turns.ts'

/** Limits per drawing; the largest take some seconds and 200 MB. */
const limits = {
  milliseconds: 20_000,
  resources: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
}
const inTurn = createTurns({
  ...{ mostAtOnce: 2, mostWaiting: 8 },
  busy: 'Other drawings are being read. Please try again in a moment.',
})

const tooMuch =
  'The drawing takes too long or too much memory to read. Save it as plain SVG with fewer parts, or upload it as a PDF or a picture.'

/** Runs `plainDrawing` in a thread, so that the server can respond to other calls. */
export function readDrawing(content: Blob, within = limits): Promise<Drawing | { fault: string }> {
  return inTurn(() => askThread(content, within))
}

async function askThread(
  content: Blob,
  { resources, milliseconds }: typeof limits,
): Promise<Drawing | { fault: string }> {
  const worker = new Worker(new URL('svg-worker.ts', import.meta.url), {
    workerData: content instanceof SpooledFile ? content.path : new Uint8Array(await content.arrayBuffer()),
    resourceLimits: resources,
    env: {},
  })
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', (error: NodeJS.ErrnoException) =>
        error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? resolve({ fault: tooMuch }) : reject(error),
      )
      worker.once('exit', () => resolve({ fault: tooMuch }))
      timer = setTimeout(() => resolve({ fault: tooMuch }), milliseconds)
    })
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}
