import { queryOptions } from '@tanstack/react-query'
import {
  getBoilerRecordAttachment,
  getBoilerRecords,
  getComplianceFigures,
} from '@caretaker/contract/calls/compliance.ts'
import { call } from '../../../api/call.ts'
import { devicePageKey } from '../../../api/device.ts'

/** The compliance records of a boiler, latest check first. */
export const recordsQuery = (tenant: string, deviceId: string) =>
  queryOptions({
    queryKey: [...devicePageKey(tenant, deviceId), 'records'],
    meta: { shows: { subjects: ['device records'], deviceId } },
    queryFn: ({ signal }) => call(getBoilerRecords, { body: { tenant, deviceId } }, { signal }),
  })

/** The figures from which the client's due dates are computed. */
export const figuresQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'compliance figures'],
    meta: { shows: { subjects: ['client'] } },
    queryFn: ({ signal }) => call(getComplianceFigures, { body: { tenant } }, { signal }),
  })

/** The file of a certificate, which never changes. */
export const certificateQuery = (tenant: string, names: { deviceId: string; recordId: string; attachmentId: string }) =>
  queryOptions({
    queryKey: [tenant, 'certificate', names.attachmentId],
    staleTime: Infinity,
    gcTime: 60_000,
    retry: false,
    queryFn: ({ signal }) => call(getBoilerRecordAttachment, { query: { tenant, ...names } }, { signal }),
  })
