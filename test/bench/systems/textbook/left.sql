SELECT count(*) FROM job;
