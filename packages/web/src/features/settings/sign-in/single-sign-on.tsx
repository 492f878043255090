import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconPlus } from '../../../icons/index.ts'
import { useActor } from '../../../api/actor.ts'
import { Failed, Loading } from '../../../ui/states.tsx'
import { ssoQuery } from './sso-queries.ts'
import { SsoConnectionView } from './sso-connection.tsx'
import { SsoDialog } from './sso-dialog.tsx'
import { SignInCard } from './sign-in-card.tsx'
import classes from './sign-in.module.css'

/** The providers with which the users of the client sign in. */
export function SingleSignOn() {
  const { tenant } = useActor()
  const { data, isError, refetch } = useQuery(ssoQuery(tenant))
  const [adding, setAdding] = useState(false)
  if (!data) return isError ? <Failed onRetry={() => void refetch()} /> : <Loading />
  const { isEmbedded, results } = data
  return (
    <SignInCard
      title="Single sign-on"
      actions={
        isEmbedded && (
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => setAdding(true)}
          >
            Add connection
          </Button>
        )
      }
    >
      <p className={classes.hint}>
        {isEmbedded
          ? 'People with an e-mail address of a verified domain sign in with the account of your organisation. Your provider has to support OpenID Connect.'
          : 'The identity provider of this installation signs people in. Set up single sign-on there.'}
      </p>
      {isEmbedded && results.map((connection) => <SsoConnectionView key={connection.id} connection={connection} />)}
      {isEmbedded && results.length === 0 && (
        <p className={classes.hint}>No connections. Add one to let people sign in without a password.</p>
      )}
      {adding && <SsoDialog onClose={() => setAdding(false)} />}
    </SignInCard>
  )
}
