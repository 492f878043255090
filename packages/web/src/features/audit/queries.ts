import { queryOptions } from '@tanstack/react-query'
import { getAudit } from '@caretaker/contract/calls/audit.ts'
import { call } from '../../api/call.ts'
import type { AuditSearch } from './audit-place.ts'
import { auditQueryOf } from './audit-place.ts'

/** One page of the audit; the previous page stays visible while the next one loads. */
export const auditQuery = (tenant: string, search: AuditSearch, zone: string) => {
  const query = auditQueryOf(search, zone)
  return queryOptions({
    queryKey: [tenant, 'audit', query],
    meta: { shows: { subjects: ['audit'] } },
    queryFn: ({ signal }) => call(getAudit, { params: { tenant }, query }, { signal }),
    placeholderData: (previous, last) => (last?.queryKey[0] === tenant ? previous : undefined),
  })
}
