import type { Context } from '../../context.ts'
import type { BulkSubjects } from '../../bulk/subject.ts'
import { runBulkActions } from '../../bulk/worker.ts'
import { deviceBulk } from './device-bulk.ts'
import { homeBulk } from './home-bulk.ts'

export const bulkSubjects: BulkSubjects = { device: deviceBulk, property: homeBulk }

/** Processes the pending items of all bulk actions, whatever their subject. */
export const doBulkActions = (context: Pick<Context, 'db' | 'log'>, stopping?: AbortSignal) =>
  runBulkActions(context, bulkSubjects, stopping)
