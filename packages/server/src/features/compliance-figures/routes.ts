import type { FastifyInstance } from 'fastify'
import { changeComplianceFigures } from '@caretaker/contract/compliance.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import { serveTenant } from '../../http/serve.ts'
import { versionOf } from '../../edit-version.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { expectSettings } from '../../tenants/tenants.ts'
import { dueRulesOf } from '../compliance/figures.ts'
import { changeFigures } from './change.ts'

const figuresOf = async (tx: TenantTx) => (await dueRulesOf(tx)).figures

export function complianceFiguresRoutes(app: FastifyInstance): void {
  serveTenant(app, changeComplianceFigures, async ({ tx, person, body: { type, figures, version } }) => {
    await expectSettings(tx, version, figuresOf)
    const fail = (fault: string) => refuse('invalid', fault)
    const changed = await changeFigures({ tx, person, type, next: () => figures, fail })
    return success({ ...changed, version: versionOf(await figuresOf(tx)) })
  })
}
