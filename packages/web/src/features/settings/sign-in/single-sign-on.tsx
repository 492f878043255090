import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconPlus } from '../../../icons/index.ts'
import { useActor } from '../../../api/actor.ts'
import { Card } from '../../../ui/card.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { ssoQuery } from './sso-queries.ts'
import { SsoConnectionView } from './sso-connection.tsx'
import { SsoDialog } from './sso-dialog.tsx'
import policy from './sign-in-policy.module.css'
import classes from './single-sign-on.module.css'

/** The providers with which the users of the client sign in. */
export function SingleSignOn() {
  const { tenant } = useActor()
  const { data, isError, refetch } = useQuery(ssoQuery(tenant))
  const [adding, setAdding] = useState(false)
  if (!data) return isError ? <Failed onRetry={() => void refetch()} /> : <Loading />
  const { isEmbedded, results } = data
  return (
    <Card title="Single sign-on" className={policy.card}>
      <div className={classes.list}>
        {isEmbedded ? (
          <>
            <p className={classes.hint}>
              People with an e-mail address of a verified domain sign in with the account of your organisation. Your
              provider has to support OpenID Connect.
            </p>
            {results.map((connection) => (
              <SsoConnectionView key={connection.id} connection={connection} />
            ))}
            {results.length === 0 && <p>No connections. Add one to let people sign in without a password.</p>}
            <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
              Add connection
            </Button>
          </>
        ) : (
          <p className={classes.hint}>
            The identity provider of this installation signs people in. Set up single sign-on there.
          </p>
        )}
      </div>
      {adding && <SsoDialog onClose={() => setAdding(false)} />}
    </Card>
  )
}
