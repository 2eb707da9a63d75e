import { createServer } from 'node:http'
import { Editor, Field } from 'datatables.net-editor-server'
import express from 'express'
import knex from 'knex'
import { compress, connections, databaseUrl, listen } from './listen.mjs'

// Server-side processing of DataTables, as its guide sets it up: express and knex.
const database = knex({ client: 'pg', connection: databaseUrl, pool: { min: 0, max: connections } })
const shown = [
  'flights.id',
  'flights.date',
  'flights.origin',
  'o.city',
  'o.state',
  'flights.destination',
  'd.city',
  'd.state',
  'flights.delay',
  'flights.distance',
]
const app = express()
app.use(compress, express.json())
app.post('/flights', async (request, response) => {
  const { origin, destination, ...asked } = request.body
  const editor = new Editor(database, 'flights', 'flights.id')
    .write(false)
    .fields(...shown.map((name) => new Field(name)))
    .leftJoin('airports as o', 'o.iata', '=', 'flights.origin')
    .leftJoin('airports as d', 'd.iata', '=', 'flights.destination')
    .where([{ 'flights.origin': origin, 'flights.destination': destination }])
  await editor.process(asked)
  response.json(editor.data())
})
listen(createServer(app))
