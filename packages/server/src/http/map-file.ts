import { existsSync } from 'node:fs'
import path from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { SettingError } from '../config.ts'

/** The address of the operator's PMTiles file. */
export const mapFile = '/map/tiles.pmtiles'

/**
 * Serves a PMTiles file, which pages request by ranges. It contains no client data: everyone who sees the pages may
 * read it.
 */
export async function serveMapFile(app: FastifyInstance, file: string): Promise<void> {
  if (!existsSync(file)) throw new SettingError(`MAP_PMTILES: there is no file ${file}`)
  await app.register(async (apart) => {
    await apart.register(fastifyStatic, { root: path.dirname(file), serve: false })
    // A compressed response has no ranges.
    apart.get(mapFile, { compress: false }, (_request, reply) =>
      reply.header('cache-control', 'public, max-age=86400').sendFile(path.basename(file)),
    )
  })
}
