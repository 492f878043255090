import type { FastifyInstance } from 'fastify'
import { bulkActionRoutes } from './bulk.ts'
import { conditionRoutes } from './conditions.ts'
import { repairRoutes } from './repairs.ts'
import { singleActionRoutes } from './single.ts'
import { deviceTagRoutes } from './tagging.ts'

export function actionRoutes(app: FastifyInstance): void {
  singleActionRoutes(app)
  conditionRoutes(app)
  repairRoutes(app)
  deviceTagRoutes(app)
  bulkActionRoutes(app)
}
