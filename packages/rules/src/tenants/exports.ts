/** Waiting for the worker, being written, there, or not to be had. */
export const tenantExportStates = ['waiting', 'running', 'done', 'failed'] as const
export type TenantExportState = (typeof tenantExportStates)[number]

/** Days for which the file of a tenant's export is kept: it holds everything personal that there is. */
export const exportKeptDays = 7
