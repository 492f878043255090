import type { FastifyInstance } from 'fastify'
import { changeComplianceFigures } from '@caretaker/contract/compliance.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import { serveTenant } from '../../http/serve.ts'
import { changeFigures } from './change.ts'

export function complianceFiguresRoutes(app: FastifyInstance): void {
  serveTenant(app, changeComplianceFigures, async ({ tx, person, body: { type, figures } }) =>
    success(await changeFigures({ tx, person, type, next: () => figures, fail: (fault) => refuse('invalid', fault) })),
  )
}
