import type { RunCodec } from './decode.ts'

export interface Codecs {
  run: RunCodec
  close(): Promise<void>
}

/** Runs codecs of tenants. */
export function openCodecs(): Codecs {
  return {
    run: async () => ({ errors: ['Codecs cannot be run on this server'] }),
    close: async () => {},
  }
}
