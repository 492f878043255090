import type { FastifyInstance } from 'fastify'
import { addCaseReadings, addCaseRecord, getCaseRecordFile, getCaseRecords } from '@caretaker/contract/awaabs-law.ts'
import { serveTenant, serveTenantInSteps } from '../../http/serve.ts'
import { addReadings, addRecord, recordsOfCase, sendRecordFile } from './records.ts'

/** Notes, photographs, files and readings of a case under Awaab's Law. */
export function caseRecordRoutes(app: FastifyInstance): void {
  serveTenant(app, getCaseRecords, async ({ tx, actor, params }) => ({
    results: await recordsOfCase(tx, actor, params),
  }))
  serveTenantInSteps(app, addCaseRecord, (call) => addRecord(call))
  serveTenant(app, addCaseReadings, async (caller) => addReadings(caller, caller.params, caller.body))
  serveTenant(app, getCaseRecordFile, async (caller) => sendRecordFile(caller, caller.params, caller.params.recordId))
}
