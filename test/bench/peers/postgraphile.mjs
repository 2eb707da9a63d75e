import { createServer } from 'node:http'
import { postgraphile } from 'postgraphile'
import { makePgService } from 'postgraphile/adaptors/pg'
import { grafserv } from 'postgraphile/grafserv/node'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'
import { compress, connections, databaseUrl, listen } from './listen.mjs'

// PostGraphile with the preset of its guide, which makes a GraphQL schema out of the database.
const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString: databaseUrl, schemas: ['public'], poolConfig: { max: connections } })],
  grafserv: { graphiql: false, watch: false },
  grafast: { explain: false },
})
const server = createServer()
const handle = instance.createServ(grafserv).createHandler()
server.on('request', (request, response) => compress(request, response, () => handle(request, response)))
listen(server)
