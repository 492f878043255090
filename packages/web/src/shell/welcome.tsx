import { useState } from 'react'
import { signIn } from '../api/session.ts'
import type { Notice } from '../api/session.ts'
import { usePageTitle } from '../api/page-title.ts'
import { Entrance } from './entrance.tsx'
import { WelcomeStep } from './welcome-step.tsx'

/** The welcome screen for a user whose session ended, or whose sign-in failed, in the running application. */
export function Welcome({ notice }: { notice?: Notice | undefined }) {
  usePageTitle('Welcome')
  const [isLeaving, setLeaving] = useState(false)
  const login = () => {
    setLeaving(true)
    void signIn().finally(() => setLeaving(false))
  }
  return (
    <Entrance pictureOnPhone>
      <WelcomeStep notice={notice} isLeaving={isLeaving} onLogin={login} />
    </Entrance>
  )
}
