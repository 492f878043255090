import { useEffect, useRef, useState } from 'react'
import type { MouseEvent, ReactNode } from 'react'
import { useLocation } from '@tanstack/react-router'
import { ActionHost } from '../actions/action-host.tsx'
import { useReach } from '../api/reach.ts'
import { useViewing } from '../api/viewing-store.ts'
import { useAsksToConfirm } from '../api/session.ts'
import { usePreference } from '../api/use-preference.ts'
import { lazily } from '../ui/lazily.tsx'
import { ConnectionBar } from './connection-bar.tsx'
import { OutboundBar } from './outbound-bar.tsx'
import { Sidebar } from './sidebar.tsx'
import { TopBar } from './top-bar.tsx'
import { ViewingBar } from './viewing-bar.tsx'
import { useChangeClient } from './use-change-client.ts'
import classes from './shell.module.css'

// Most browsers have nothing pending, and the first rows do not need it.
const WaitingBar = lazily(async () => (await import('../actions/waiting-bar.tsx')).WaitingBar)
// Few calls need a sign-in of the last minutes.
const SignInAgainDialog = lazily(async () => (await import('./sign-in-again-dialog.tsx')).SignInAgainDialog)
// Desktops never open it.
const MobileDrawer = lazily(async () => (await import('./mobile-drawer.tsx')).MobileDrawer)

/** Top bar, sidebar and the routed screen. */
export function Shell({ children }: { children: ReactNode }) {
  const { lost } = useReach()
  const viewing = useViewing()
  const asksToConfirm = useAsksToConfirm()
  const main = useRef<HTMLElement>(null)
  const [menuOpen, setMenuOpen] = usePreference('showMenu')
  const [wasOpened, setWasOpened] = useState(false)
  if (menuOpen && !wasOpened) setWasOpened(true)
  const leaveClient = useChangeClient()
  const changeClient = () => {
    setMenuOpen(false)
    leaveClient()
  }
  const pathname = useLocation({ select: (location) => location.pathname })
  const arrived = useRef(pathname)
  useEffect(() => {
    if (arrived.current === pathname) return
    arrived.current = pathname
    setMenuOpen(false)
    main.current?.focus({ preventScroll: true })
  }, [pathname, setMenuOpen])
  const skip = (event: MouseEvent) => {
    event.preventDefault()
    main.current?.focus()
  }
  return (
    <div className={classes.shell} data-lost={lost || undefined} data-viewing={viewing ? true : undefined}>
      <a className={classes.skip} href="#content" onClick={skip}>
        Skip to content
      </a>
      <TopBar menuOpen={menuOpen} onMenu={() => setMenuOpen(!menuOpen)} onChangeClient={changeClient} />
      <ViewingBar />
      <ConnectionBar />
      <Sidebar />
      {wasOpened && <MobileDrawer open={menuOpen} onClose={() => setMenuOpen(false)} onChangeClient={changeClient} />}
      <main className={classes.main} id="content" ref={main} tabIndex={-1}>
        <OutboundBar />
        <WaitingBar />
        {children}
      </main>
      <ActionHost />
      {asksToConfirm && <SignInAgainDialog />}
    </div>
  )
}
