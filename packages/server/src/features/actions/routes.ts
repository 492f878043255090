import type { FastifyInstance } from 'fastify'
import { bulkActionRoutes } from './bulk.ts'
import { singleActionRoutes } from './single.ts'
import { deviceTagRoutes } from './tagging.ts'

export function actionRoutes(app: FastifyInstance): void {
  singleActionRoutes(app)
  deviceTagRoutes(app)
  bulkActionRoutes(app)
}
