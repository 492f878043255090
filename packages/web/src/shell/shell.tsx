import { useEffect, useRef, useState } from 'react'
import type { MouseEvent, ReactNode } from 'react'
import { useLocation, useRouter } from '@tanstack/react-router'
import { addressWithoutTenant } from '@caretaker/rules/identity/places.ts'
import { MobileDrawer } from './mobile-drawer.tsx'
import { rememberTenant } from './remembered-tenant.ts'
import { Sidebar } from './sidebar.tsx'
import { TopBar } from './top-bar.tsx'
import classes from './shell.module.css'

/** Top bar, sidebar and the routed screen. */
export function Shell({ children }: { children: ReactNode }) {
  const main = useRef<HTMLElement>(null)
  const [menuOpen, setMenuOpen] = useState(false)
  const changeClient = useChangeClient()
  const pathname = useLocation({ select: (location) => location.pathname })
  const arrived = useRef(pathname)
  useEffect(() => {
    if (arrived.current === pathname) return
    arrived.current = pathname
    setMenuOpen(false)
    main.current?.focus({ preventScroll: true })
  }, [pathname])
  const skip = (event: MouseEvent) => {
    event.preventDefault()
    main.current?.focus()
  }
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#content" onClick={skip}>
        Skip to content
      </a>
      <TopBar menuOpen={menuOpen} onMenu={() => setMenuOpen(!menuOpen)} onChangeClient={changeClient} />
      <Sidebar />
      <MobileDrawer open={menuOpen} onClose={() => setMenuOpen(false)} onChangeClient={changeClient} />
      <main className={classes.main} id="content" ref={main} tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}

/** Back to the client selection; the area stays in the address, so that the next client opens there. */
function useChangeClient(): () => void {
  const router = useRouter()
  return () => {
    rememberTenant(undefined)
    void router.navigate({ href: addressWithoutTenant(router.state.location.pathname) })
  }
}
