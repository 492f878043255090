import { openAsBlob } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { plainDrawing } from './svg.ts'

const file = workerData as string | Uint8Array<ArrayBuffer>
const found = await plainDrawing(typeof file === 'string' ? await openAsBlob(file) : new Blob([file]))
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort!.postMessage(found)
