import { existsSync } from 'node:fs'
import path from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { SettingError } from '../config.ts'

/** Where the pages find the operator's PMTiles file. */
export const mapFile = '/map/tiles.pmtiles'

/** Serves a PMTiles file, of which pages ask a range at a time. It says nothing of any client: whoever sees the pages may read it. */
export async function serveMapFile(app: FastifyInstance, file: string): Promise<void> {
  if (!existsSync(file)) throw new SettingError(`MAP_PMTILES: there is no file ${file}`)
  await app.register(async (apart) => {
    await apart.register(fastifyStatic, { root: path.dirname(file), serve: false })
    // A packed answer has no ranges.
    apart.get(mapFile, { compress: false }, (_request, reply) =>
      reply.header('cache-control', 'public, max-age=86400').sendFile(path.basename(file)),
    )
  })
}
