import { fork } from 'node:child_process'
import { SpooledFile } from '../http/spooled-file.ts'
import { createTurns } from './turns.ts'

export interface PageRequest {
  /** Its path, or its content. */
  file: string | Uint8Array
  /** From 1 on. */
  page: number
}

type Fault = 'locked' | 'unreadable' | 'empty' | 'blank' | 'no such page'
export type PageResult =
  | { png: Uint8Array<ArrayBuffer>; width: number; height: number; pages: number }
  | { fault: Fault; pages?: number }

/** Of one page, of which a large plan takes some seconds. The library is not trusted with the server's own. */
const limits = { milliseconds: 20_000, heapMb: 256, libraryMb: 256 }
/** A queue of its own: slow plans do not keep certificates waiting. */
const inTurn = createTurns({
  ...{ mostAtOnce: 1, mostWaiting: 4 },
  busy: 'Other floor plans are being drawn. Please try again in a moment.',
})

const texts: Record<Fault, string> = {
  locked: 'The PDF needs a password. Save it without a password.',
  unreadable: 'The PDF is damaged, or too large to be drawn. Print it as a new PDF, or save the plan as a picture.',
  empty: 'The PDF has no pages.',
  blank: 'The page is blank. Choose another page.',
  'no such page': 'The PDF has no such page.',
}

export type PdfPage = Exclude<PageResult, { fault: Fault }>

/** A page of a PDF as a picture, and how many pages there are; or what is wrong, in words. */
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
 * Asks a process that ends with the page, or when it has taken too long or too much memory. A thread would share the bound of the
 * memory of WebAssembly with the server. The process reads files, and can neither write nor start programs. It cannot reach the network either
 * from Node 25 on; before, `--permission` leaves the network open.
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
      // Pages of 64 KiB.
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
