import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

/** Lays packed copies beside each script and style that is built: packed once and as small as can be, not by each server for each browser. */
export const packed = (): Plugin => ({
  name: 'packed',
  apply: 'build',
  writeBundle({ dir }) {
    const folder = path.join(dir!, 'assets')
    for (const name of readdirSync(folder).filter((one) => /\.(js|css)$/.test(one))) {
      const file = path.join(folder, name)
      const content = readFileSync(file)
      writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }))
      writeFileSync(`${file}.br`, brotliCompressSync(content))
    }
  },
})
