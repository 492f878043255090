import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

/** Lays a packed copy beside each script and style that is built: packed once and as small as can be, not by each server for each browser. */
export const packed = (): Plugin => ({
  name: 'packed',
  apply: 'build',
  writeBundle({ dir }) {
    const folder = path.join(dir!, 'assets')
    for (const name of readdirSync(folder).filter((one) => /\.(js|css)$/.test(one)))
      writeFileSync(path.join(folder, `${name}.gz`), gzipSync(readFileSync(path.join(folder, name)), { level: 9 }))
  },
})
