-- The latest memories of a whole tenant, and its latest changes, without a sort of all of them.
CREATE INDEX records_by_tenant ON records (tenant, occurred_at, id);
CREATE INDEX records_by_tenant_change ON records (tenant, updated_at);
