const key = 'caretaker.tenant'

/** The client last selected in this tab: several tabs may use different clients. */
export function rememberedTenant(): string | undefined {
  return sessionStorage.getItem(key) ?? undefined
}

export function rememberTenant(tenant: string | undefined): void {
  if (tenant === undefined) sessionStorage.removeItem(key)
  else sessionStorage.setItem(key, tenant)
}
