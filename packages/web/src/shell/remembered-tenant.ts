const key = 'caretaker.tenant'

/** The client selected last in this tab: several tabs may hold several clients. */
export function rememberedTenant(): string | undefined {
  return sessionStorage.getItem(key) ?? undefined
}

export function rememberTenant(tenant: string | undefined): void {
  if (tenant === undefined) sessionStorage.removeItem(key)
  else sessionStorage.setItem(key, tenant)
}
