import type { FastifyInstance } from 'fastify'
import { bulkActionRoutes } from './bulk.ts'
import { singleActionRoutes } from './single.ts'

export function actionRoutes(app: FastifyInstance): void {
  singleActionRoutes(app)
  bulkActionRoutes(app)
}
