import { readFile } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { findActiveContent } from './pdf-check.ts'

const file = workerData as string | Uint8Array
const found = await findActiveContent(typeof file === 'string' ? await readFile(file) : file)
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort!.postMessage(found)
