import type { Adapter, AdapterPayload } from 'oidc-provider'
import { errors } from 'oidc-provider'
import type pg from 'pg'

interface Row {
  payload: AdapterPayload
  consumed: number | null
}

/**
 * Seconds in which a refresh token that was just exchanged may be exchanged once more: two tabs that refresh at the same
 * moment, or a lost response, must not end the session. Later use counts as theft and revokes the whole grant.
 */
export const reuseWindow = 10

/** The provider's store of sessions, grants, codes and tokens: one table, so that a restart loses nothing. */
export function adapterFor(pool: pg.Pool): (model: string) => Adapter {
  return (model) => {
    const find = async (column: 'id' | 'uid' | 'user_code', value: string) => {
      const { rows } = await pool.query<Row>(
        `select payload, extract(epoch from consumed_at)::int as consumed from idp.payload
         where model = $1 and ${column} = $2 and (expires_at is null or expires_at > now())
           and (model <> 'Grant' or exists (select from idp.open_session where open_session.id = payload.id))`,
        [model, value],
      )
      const [row] = rows
      if (!row) return undefined
      const spared =
        model === 'RefreshToken' && row.consumed !== null && Date.now() / 1000 - row.consumed <= reuseWindow
      return { ...row.payload, ...(row.consumed !== null && !spared && { consumed: row.consumed }) }
    }
    /** Ends the session of a code that was used twice: the first use may have been a thief's. */
    const endSessionOf = (code: string) =>
      pool.query(
        `with session as (select grant_id as id from idp.payload where model = 'AuthorizationCode' and id = $1)
         delete from idp.payload using session
         where grant_id = session.id or (model = 'Grant' and payload.id = session.id)`,
        [code],
      )
    /** Someone who signs in again in the same session gets new tokens: earlier refresh tokens stop working. */
    const endFormerTokens = (code: string) =>
      pool.query(
        `delete from idp.payload using idp.payload as code
         where code.model = 'AuthorizationCode' and code.id = $1
           and payload.model = 'RefreshToken' and payload.grant_id = code.grant_id`,
        [code],
      )
    return {
      upsert: async (id, payload, expiresIn) => {
        await pool.query(
          `insert into idp.payload (model, id, payload, grant_id, uid, user_code, expires_at)
           values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))
           on conflict (model, id) do update set payload = excluded.payload, grant_id = excluded.grant_id,
             uid = excluded.uid, user_code = excluded.user_code, expires_at = excluded.expires_at`,
          [
            model,
            id,
            payload,
            payload.grantId ?? null,
            payload.uid ?? null,
            payload.userCode ?? null,
            expiresIn ?? null,
          ],
        )
      },
      find: (id) => find('id', id),
      findByUid: (uid) => find('uid', uid),
      findByUserCode: (code) => find('user_code', code),
      consume: async (id) => {
        const { rowCount } = await pool.query(
          'update idp.payload set consumed_at = now() where model = $1 and id = $2 and consumed_at is null',
          [model, id],
        )
        // The provider has checked the code before, but only one of several simultaneous exchanges may get the tokens.
        if (model !== 'AuthorizationCode') return
        if (rowCount) return void (await endFormerTokens(id))
        await endSessionOf(id)
        throw new errors.InvalidGrant('authorization code already consumed')
      },
      destroy: async (id) => {
        await pool.query('delete from idp.payload where model = $1 and id = $2', [model, id])
      },
      revokeByGrantId: async (grant) => {
        await pool.query('delete from idp.payload where grant_id = $1', [grant])
      },
    }
  }
}
