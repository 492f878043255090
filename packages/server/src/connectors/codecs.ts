import type { RunCodec } from './decode.ts'
import { createSandbox } from './sandbox.ts'

export interface Codecs {
  run: RunCodec
  close(): Promise<void>
}

/** Runs codecs of tenants in a sandbox. */
export function openCodecs(): Codecs {
  const sandbox = createSandbox()
  return { run: (tenant, source, input) => sandbox.decode(tenant, { source, ...input }), close: () => sandbox.close() }
}
