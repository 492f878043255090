import { queryOptions } from '@tanstack/react-query'
import { getImport, getImports } from '@caretaker/contract/calls/imports.ts'
import { call } from '../../api/call.ts'

export const importsQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'imports', 'all'],
    meta: { shows: { subjects: ['import'] } },
    queryFn: ({ signal }) => call(getImports, { body: { tenant } }, { signal }),
  })

/** One import: the worker sends a change event after each part. */
export const importQuery = (tenant: string, importId: string) =>
  queryOptions({
    queryKey: [tenant, 'imports', importId],
    meta: { shows: { subjects: ['import'] } },
    queryFn: ({ signal }) => call(getImport, { body: { tenant, importId } }, { signal }),
  })
