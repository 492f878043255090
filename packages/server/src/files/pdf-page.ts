import { fork } from 'node:child_process'
import { SpooledFile } from '../http/spooled-file.ts'
import { createTurns } from './turns.ts'

export interface PageRequest {
  /** The path of the file, or its content. */
  file: string | Uint8Array
  /** Starts at 1. */
  page: number
}

type Fault = 'locked' | 'unreadable' | 'empty' | 'blank' | 'no such page'
export type PageResult =
  | { png: Uint8Array<ArrayBuffer>; width: number; height: number; pages: number }
  | { fault: Fault; pages?: number }

/** Limits per page; a large plan takes some seconds. The library is untrusted, so it runs in a separate process. */
const limits = { milliseconds: 20_000, heapMb: 256, libraryMb: 256 }
/** A separate queue, so that slow plans do not delay certificates. */
const inTurn = createTurns({
  ...{ mostAtOnce: 1, mostWaiting: 4 },
  busy: 'Other floor plans are being drawn. Please try again in a moment.',
})

const texts: Record<Fault, string> = {
  locked: 'The PDF needs a password. Save it without a password.',
  unreadable: 'The PDF is damaged, or too large to be drawn. Print it to a new PDF, or save the plan as a picture.',
  empty: 'The PDF has no pages.',
  blank: 'The page is blank. Choose another page.',
  'no such page': 'The PDF has no such page.',
}

export type PdfPage = Exclude<PageResult, { fault: Fault }>

/** A page of a PDF as a picture, with the number of pages; or the fault in words. */
export async function drawPdfPage(
  content: Blob,
  page: number,
  within = limits,
): Promise<PdfPage | { fault: string; pages?: number | undefined }> {
  const file = content instanceof SpooledFile ? content.path : new Uint8Array(await content.arrayBuffer())
  const result = await inTurn(() => askProcess({ file, page }, within))
  return 'fault' in result ? { fault: texts[result.fault], pages: result.pages } : result
}

/**
 * Runs a process that ends with the page, or at the limits of time and memory; a thread would share the WebAssembly
 * memory limit with the server. The process can read files, but can neither write files nor start programs. From Node
 * 25 on it cannot use the network either; before that, `--permission` does not restrict it.
 */
async function askProcess(
  request: PageRequest,
  { milliseconds, heapMb, libraryMb }: typeof limits,
): Promise<PageResult> {
  const child = fork(new URL('pdf-page-process.ts', import.meta.url), {
    serialization: 'advanced',
    stdio: 'ignore',
    env: {},
    execArgv: [
      ...['--permission', '--allow-fs-read=*', '--no-warnings'],
      // Memory pages of 64 KiB.
      ...[`--max-old-space-size=${heapMb}`, `--wasm-max-mem-pages=${libraryMb * 16}`],
    ],
  })
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<PageResult>((resolve) => {
      const failed = () => resolve({ fault: 'unreadable' })
      child.once('message', (result) => resolve(result as PageResult))
      child.once('error', failed)
      child.once('exit', failed)
      timer = setTimeout(failed, milliseconds)
      child.send(request)
    })
  } finally {
    clearTimeout(timer)
    child.kill('SIGKILL')
  }
}
