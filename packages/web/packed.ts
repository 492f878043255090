import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const [toGzip, toBrotli] = [promisify(gzip), promisify(brotliCompress)]
/** The highest quality, 11, takes more than twice the time for 2 % less. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }

/** Lays compressed copies beside each script and style that is built: compressed once and well, not by each server for each browser. */
export const packed = (): Plugin => ({
  name: 'packed',
  apply: 'build',
  async writeBundle({ dir }) {
    const folder = path.join(dir!, 'assets')
    const names = readdirSync(folder).filter((one) => /\.(js|css)$/.test(one))
    // All at once: the threads of the pool share them.
    await Promise.all(
      names.map(async (name) => {
        const file = path.join(folder, name)
        const content = await readFile(file)
        await Promise.all([
          toGzip(content, { level: 9 }).then((made) => writeFile(`${file}.gz`, made)),
          toBrotli(content, quality).then((made) => writeFile(`${file}.br`, made)),
        ])
      }),
    )
  },
})
