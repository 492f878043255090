/** Waiting for the worker, running, available, or failed. */
export const tenantExportStates = ['waiting', 'running', 'done', 'failed'] as const
export type TenantExportState = (typeof tenantExportStates)[number]

/** Days for which a tenant export is kept: it contains all personal data. */
export const exportKeptDays = 7
